package git_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
)

// cut says what a proxy does to connections.
type cut int32

const (
	cutBefore cut = 1 << iota // a push ends before its commands reach the server
	cutAfter                  // a push reaches the server whole, its answer does not come back
	cutStall                  // with cutAfter: and the connection stays open
	cutAll                    // with the others: and after that nothing is let through
)

// proxy stands between a client and a git daemon.
type proxy struct {
	addr, to string
	mode     atomic.Int32
	done     chan struct{} // closed at the end of the test
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l := listen(t)
	p := &proxy{addr: l.Addr().String(), to: to, done: make(chan struct{})}
	t.Cleanup(func() { close(p.done) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *proxy) set(c cut) { p.mode.Store(int32(c)) }

// serve carries one connection. The first packet says whether it is a push.
func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	mode := cut(p.mode.Load())
	head, err := packet(client)
	if err != nil {
		return
	}
	push := bytes.Contains(head, []byte("git-receive-pack"))
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	server.Write(head)
	if mode == 0 || !push {
		if mode&cutAll != 0 && cut(p.mode.Load()) == cutAll {
			return
		}
		go io.Copy(server, client)
		io.Copy(client, server)
		return
	}
	if mode&cutBefore != 0 {
		// The advertisement comes through, the commands do not.
		io.CopyN(client, server, 64)
		one := make([]byte, 1)
		go io.Copy(client, server)
		client.Read(one)
		return
	}
	p.hideAnswer(client, server)
	if mode&cutStall != 0 {
		<-p.done // the client may have closed its side long ago
	}
	if mode&cutAll != 0 {
		p.set(cutAll)
	}
}

// packet reads one packet of git's protocol, with its length.
func packet(from io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(string(head), 16, 16)
	if err != nil || n < 4 {
		return nil, fmt.Errorf("packet of length %q", head)
	}
	body := make([]byte, n-4)
	_, err = io.ReadFull(from, body)
	return append(head, body...), err
}

// hideAnswer lets the whole push through to the server, waits until the server
// has done with it, and sends none of its answer back.
func (p *proxy) hideAnswer(client, server net.Conn) {
	var sent atomic.Bool
	go func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := client.Read(buf)
			if n > 0 {
				sent.Store(true)
				server.Write(buf[:n])
			}
			if err != nil {
				return
			}
		}
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := server.Read(buf)
		if n > 0 && !sent.Load() {
			client.Write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// hang is the address of a server that takes connections and never answers.
func hang(t testing.TB) string {
	return serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })
}

// slam is the address of a server that hangs up at once.
func slam(t testing.TB) string { return serve(t, func(net.Conn) {}) }
