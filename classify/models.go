package classify

import "sync"

// Models lists every program that is known by name, family by family. The
// caller must not change what it points to.
func Models() []*Model {
	registry.Lock()
	defer registry.Unlock()
	for loadFamily() {
	}
	return registry.list
}

// model finds a program by its name without a directory; nil when it is not
// known.
func model(name string) *Model {
	registry.Lock()
	defer registry.Unlock()
	for {
		if m, ok := registry.byName[name]; ok {
			return m
		}
		if !loadFamily() {
			return dashedGit(name)
		}
	}
}

// registry grows family by family until the name that is looked for is found,
// so that a usual command does not pay for all of them.
var registry struct {
	sync.Mutex
	loaded int
	list   []*Model
	byName map[string]*Model
}

// loadFamily adds the next family; false when all are there.
func loadFamily() bool {
	all := families()
	if registry.loaded == len(all) {
		return false
	}
	if registry.byName == nil {
		registry.byName = make(map[string]*Model, 256)
	}
	for _, m := range all[registry.loaded]() {
		registry.list = append(registry.list, m)
		for _, name := range m.Names {
			registry.byName[name] = m
		}
	}
	registry.loaded++
	return true
}

// families lists the tables, what is used most first.
func families() []func() []*Model {
	return []func() []*Model{
		printModels, conditionModels, filterModels,
		removeModels, copyModels, writeModels, makeModels, metadataModels,
		findModels, gitModels, editModels, awkModels, readModels,
		xargsModels, userModels, peelModels, stringModels, remoteModels,
		buildModels, codeModels, httpModels,
		archiveModels, packModels, formatModels, copyFarModels,
		publishModels, installModels,
		sqlModels, dataModels, dockerModels, cloudModels,
		hostModels, systemModels, sessionModels, deviceModels, outputModels,
		ownModels, windowsModels,
	}
}
