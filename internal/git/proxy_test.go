package git_test

import (
	"bytes"
	"io"
	"net"
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
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l := listen(t)
	p := &proxy{addr: l.Addr().String(), to: to}
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
	head := make([]byte, 4096)
	n, err := client.Read(head)
	if err != nil {
		return
	}
	head = head[:n]
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
		io.Copy(io.Discard, client)
	}
	if mode&cutAll != 0 {
		p.set(cutAll)
	}
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
