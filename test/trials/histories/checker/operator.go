// The operator's views of all accounts: overview, accounts and usage, each of
// one moment.

package main

import (
	"sort"

	"github.com/anishathalye/porcupine"
)

// held is a stored record: whose and in which collection it is, and its bytes.
type held struct{ key, place, bytes int32 }

// place is one account's one collection.
type place struct{ who, coll string }

// operatorState has every record, by key, and the number of audit events; never
// changed in place. It is made a great many times: so it is small, and compared by its hash.
type operatorState struct {
	records []held
	counts  []int32
	bytes   []int32
	events  int
	hash    uint64
}

// operatorView numbers the records and their places.
type operatorView struct {
	*History
	keys   map[string]int32
	places []place
	number map[place]int32
	ops    []*Op
}

func (h *History) operatorView() *operatorView {
	view := &operatorView{History: h, keys: map[string]int32{}, number: map[place]int32{}}
	for _, op := range h.Ops {
		switch {
		case op.write():
			key := op.Who + " " + op.Coll + " " + op.Id
			if _, known := view.keys[key]; !known {
				view.keys[key] = int32(len(view.keys))
			}
			at := place{op.Who, op.Coll}
			if _, known := view.number[at]; !known {
				view.number[at] = int32(len(view.places))
				view.places = append(view.places, at)
			}
			op.key, op.place = view.keys[key], view.number[at]
		case op.Kind != "overview" && op.Kind != "accounts" && op.Kind != "usage":
			continue
		}
		view.ops = append(view.ops, op)
	}
	return view
}

func (s operatorState) find(key int32) (int, bool) {
	at := sort.Search(len(s.records), func(i int) bool { return s.records[i].key >= key })
	return at, at < len(s.records) && s.records[at].key == key
}

func (s operatorState) with(op *Op, bytes int32, isThere bool) operatorState {
	at, was := s.find(op.key)
	next := operatorState{
		records: append(make([]held, 0, len(s.records)+1), s.records[:at]...),
		counts:  append([]int32{}, s.counts...),
		bytes:   append([]int32{}, s.bytes...),
		events:  s.events,
		hash:    s.hash,
	}
	rest := s.records[at:]
	if was {
		next.change(rest[0], -1)
		rest = rest[1:]
	}
	if isThere {
		record := held{op.key, op.place, bytes}
		next.records = append(next.records, record)
		next.change(record, 1)
	}
	next.records = append(next.records, rest...)
	if op.Operator {
		next.events++
	}
	return next
}

func (s *operatorState) change(record held, sign int32) {
	s.counts[record.place] += sign
	s.bytes[record.place] += sign * record.bytes
	mixed := (uint64(record.key)<<32 | uint64(record.bytes)) * 0x9e3779b97f4a7c15
	s.hash += uint64(int64(sign)) * (mixed ^ mixed>>29)
}

func (v *operatorView) step(state operatorState, op *Op) []operatorState {
	switch op.Kind {
	case "overview", "usage":
		return onlyIf(v.totalsFit(state, op), state)
	case "accounts":
		return onlyIf(v.accountsFit(state, op), state)
	}
	_, present := state.find(op.key)
	switch {
	case op.Code == 404:
		return onlyIf(!present, state)
	case op.Kind == "create" && present || op.Kind != "create" && !present:
		return onlyIf(op.unclear(), state)
	}
	bytes := int32(op.Bytes)
	if !v.Bytes {
		// States that no view can distinguish must be merged: otherwise each unclear change doubles them.
		bytes = 0
	}
	after := state.with(op, bytes, op.Kind != "delete")
	if !v.Audit {
		after.events = 0
	}
	if op.unclear() {
		return []operatorState{state, after}
	}
	return []operatorState{after}
}

func (v *operatorView) totalsFit(state operatorState, op *Op) bool {
	counts, bytes, tenants := map[string]int{}, map[string]int{}, map[string]bool{}
	for i, at := range v.places {
		counts[at.coll] += int(state.counts[i])
		bytes[at.coll] += int(state.bytes[i])
		if state.counts[i] > 0 {
			tenants[at.who] = true
		}
	}
	if op.Totals.Records != v.Usage.Records+len(state.records) {
		return false
	}
	for coll, count := range op.Totals.Counts {
		if count != v.Usage.Counts[coll]+counts[coll] {
			return false
		}
		if op.Kind == "usage" && v.Bytes && op.Totals.Bytes[coll] != v.Usage.Bytes[coll]+bytes[coll] {
			return false
		}
	}
	if op.Kind == "overview" {
		return op.Totals.Tenants == len(tenants)+len(v.Accounts)
	}
	return !v.Audit || op.Totals.Events == state.events+v.Usage.Events
}

func (v *operatorView) accountsFit(state operatorState, op *Op) bool {
	own := map[string]int{}
	for i, at := range v.places {
		if state.counts[i] > 0 {
			own[at.who] += int(state.counts[i])
		}
		if op.Accounts[at.who].Counts[at.coll] != int(state.counts[i]) {
			return false
		}
	}
	for who, count := range own {
		if op.Accounts[who].Records != count {
			return false
		}
	}
	return len(op.Accounts) == len(own)+len(v.Accounts)
}

func (v *operatorView) model() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any {
			empty := make([]int32, len(v.places))
			return []any{operatorState{counts: empty, bytes: empty}}
		},
		Step: func(state, input, output any) []any {
			return anyOf(v.step(state.(operatorState), input.(*Op)))
		},
		Equal: func(a, b any) bool {
			one, other := a.(operatorState), b.(operatorState)
			if one.hash != other.hash || one.events != other.events || len(one.records) != len(other.records) {
				return false
			}
			for i, record := range one.records {
				if record != other.records[i] {
					return false
				}
			}
			return true
		},
		Hash: func(state any) uint64 {
			one := state.(operatorState)
			return one.hash + uint64(one.events)*0x2545f4914f6cdd1d
		},
	}
	return model.ToModel()
}
