package classify

import "sync"

// Models lists every program that is known by name, family by family. The
// caller must not change what it points to.
func Models() []*Model { return allModels().list }

// model finds a program by its name without a directory; nil when it is not
// known.
func model(name string) *Model {
	if m, ok := allModels().byName[name]; ok {
		return m
	}
	return dashedGit(name)
}

type index struct {
	list   []*Model
	byName map[string]*Model
}

// registry is filled at the first look-up, so that a start without a shell
// command pays nothing for it.
var registry struct {
	once sync.Once
	index
}

func allModels() *index {
	registry.once.Do(func() {
		registry.byName = make(map[string]*Model, 1024)
		for _, family := range families() {
			for _, m := range family() {
				registry.list = append(registry.list, m)
				for _, name := range m.Names {
					registry.byName[name] = m
				}
			}
		}
	})
	return &registry.index
}

// families lists the tables, one function per file.
func families() []func() []*Model {
	return []func() []*Model{
		removeModels,
		copyModels,
		writeModels,
		metadataModels,
		makeModels,
		peelModels,
		userModels,
		stringModels,
		xargsModels,
		findModels,
		readModels,
		printModels,
		conditionModels,
		filterModels,
		editModels,
		awkModels,
		archiveModels,
		packModels,
		formatModels,
		copyFarModels,
		remoteModels,
		httpModels,
		gitModels,
		buildModels,
		publishModels,
		installModels,
		codeModels,
		sqlModels,
		dataModels,
		dockerModels,
		cloudModels,
		hostModels,
		systemModels,
		sessionModels,
		deviceModels,
		outputModels,
		ownModels,
		windowsModels,
	}
}
