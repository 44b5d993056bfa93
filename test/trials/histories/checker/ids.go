// Identifiers: each is higher than all that were given before it, in its
// database and its collection, however often the service was started.

package main

import "github.com/anishathalye/porcupine"

func idsModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, output any) (bool, any) {
			given := sequence(input.(*Op).Id)
			return given > state.(int), given
		},
	}
}

// IdsParts gives the creates whose id is known, by collection.
func (h *History) idsParts() map[string][]*Op {
	parts := map[string][]*Op{}
	for _, op := range h.Ops {
		if op.Kind != "create" || op.Id == "" {
			continue
		}
		parts[op.Coll] = append(parts[op.Coll], op)
	}
	return parts
}
