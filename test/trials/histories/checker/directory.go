// The operator's views where accounts live apart: the list of accounts may lag.
// It shows some earlier state of each account, never an older one than it has
// shown, never one older than the lag that is promised, and the operator's own
// changes at once.

package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// seen is one state of an account's counts, and when the write that made it was answered.
type seen struct {
	counts string
	at     int64
}

type record struct{ who, coll, id string }

// directoryState has an account's records and the states that a view may still show, oldest first.
type directoryState struct {
	records map[record]bool
	shown   []seen
}

func countsText(records map[record]bool) string {
	counts := map[string]int{}
	for key := range records {
		counts[key.coll]++
	}
	return countsLine(counts)
}

func countsLine(counts map[string]int) string {
	parts := []string{}
	for coll, count := range counts {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", coll, count))
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, ",")
}

func (s directoryState) with(key record, isThere bool, op *Op) directoryState {
	next := directoryState{map[record]bool{}, nil}
	for other := range s.records {
		next.records[other] = true
	}
	delete(next.records, key)
	if isThere {
		next.records[key] = true
	}
	now := seen{countsText(next.records), op.Return}
	if !op.Operator || op.Code == 0 {
		next.shown = append(next.shown, s.shown...)
	}
	next.shown = append(next.shown, now)
	return next
}

func (h *History) directoryStep(state directoryState, op *Op) []directoryState {
	if op.Kind == "accounts" {
		return h.shownBy(state, op)
	}
	key := record{op.Who, op.Coll, op.Id}
	present := state.records[key]
	switch {
	case op.Code == 404:
		return onlyIf(!present, state)
	case op.Kind == "create" && present || op.Kind != "create" && !present:
		return onlyIf(op.unclear(), state)
	}
	after := state.with(key, op.Kind != "delete", op)
	if op.unclear() {
		return []directoryState{state, after}
	}
	return []directoryState{after}
}

// The oldest state that fits leaves the most for the views to come.
func (h *History) shownBy(state directoryState, op *Op) []directoryState {
	wanted := countsLine(op.Accounts[op.Who].Counts)
	for i, shown := range state.shown {
		if i+1 < len(state.shown) && state.shown[i+1].at < op.Call-h.LagMs*1e6 {
			continue
		}
		if shown.counts == wanted {
			return []directoryState{{state.records, state.shown[i:]}}
		}
	}
	return nil
}

func (h *History) directoryModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{directoryState{map[record]bool{}, []seen{{"", 0}}}} },
		Step: func(state, input, output any) []any {
			return anyOf(h.directoryStep(state.(directoryState), input.(*Op)))
		},
		Equal: func(a, b any) bool {
			one, other := a.(directoryState), b.(directoryState)
			if len(one.records) != len(other.records) || len(one.shown) != len(other.shown) {
				return false
			}
			for key := range one.records {
				if !other.records[key] {
					return false
				}
			}
			for i := range one.shown {
				if one.shown[i] != other.shown[i] {
					return false
				}
			}
			return true
		},
	}
	return model.ToModel()
}

// DirectoryParts gives each account's writes with its row of every view.
func (h *History) directoryParts() map[string][]*Op {
	parts := map[string][]*Op{}
	for _, op := range h.Ops {
		if op.write() {
			parts[op.Who] = append(parts[op.Who], op)
		}
	}
	for _, op := range h.Ops {
		if op.Kind != "accounts" {
			continue
		}
		for who := range parts {
			own := *op
			own.Who = who
			parts[who] = append(parts[who], &own)
		}
	}
	return parts
}
