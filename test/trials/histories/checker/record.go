// One record as a register: created, merged into, deleted, read, and with the
// audit events of what the operator did to it.

package main

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// recordState is a record, absent where fields is nil, and its events so far.
type recordState struct {
	fields Fields
	text   string
	events []string
}

func with(s recordState, fields Fields, event Event, op *Op) recordState {
	next := recordState{fields: fields, events: s.events}
	if fields != nil {
		next.text = fields.text()
	}
	if !op.Operator {
		return next
	}
	next.events = append(s.events[:len(s.events):len(s.events)], event.text())
	return next
}

func recordStep(state recordState, op *Op) []recordState {
	present := state.fields != nil
	after := state
	switch op.Kind {
	case "create":
		if present || op.Code == 201 && !op.keepsBody() {
			return nil
		}
		after = with(state, op.made(), Event{Action: "create", Changed: op.names()}, op)
	case "patch":
		if present {
			merged, changed := state.fields.patched(op.Body)
			after = with(state, merged, Event{Action: "update", Changed: changed}, op)
		}
	case "delete":
		if present {
			after = with(state, nil, Event{Action: "delete"}, op)
		}
	case "audit":
		if eventsFit(state.events, op) {
			return []recordState{state}
		}
		return nil
	}
	switch {
	case op.unclear():
		return []recordState{state, after}
	case op.Code == 404:
		return onlyIf(!present, state)
	case op.Kind == "create" || op.Kind == "delete" && present:
		return []recordState{after}
	case op.Kind == "patch" || op.Kind == "read":
		return onlyIf(present && after.text == op.Record.text(), after)
	}
	return nil
}

// The log has the record's events: all, or of the newest page the last ones.
func eventsFit(events []string, op *Op) bool {
	before := len(events) - len(op.Events)
	if before < 0 || op.Whole && before > 0 {
		return false
	}
	for i, event := range op.Events {
		if events[before+i] != event.text() {
			return false
		}
	}
	return true
}

func onlyIf[State any](holds bool, state State) []State {
	if holds {
		return []State{state}
	}
	return nil
}

func recordModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{recordState{}} },
		Step: func(state, input, output any) []any {
			return anyOf(recordStep(state.(recordState), input.(*Op)))
		},
		Equal: func(a, b any) bool {
			one, other := a.(recordState), b.(recordState)
			return (one.fields == nil) == (other.fields == nil) && one.text == other.text && slices.Equal(one.events, other.events)
		},
	}
	return model.ToModel()
}

func anyOf[State any](states []State) []any {
	all := make([]any, len(states))
	for i, state := range states {
		all[i] = state
	}
	return all
}

// Records gives each record's own history.
func (h *History) records() map[string][]*Op {
	parts := map[string][]*Op{}
	for _, op := range h.Ops {
		if op.Id != "" && (op.write() || op.Kind == "read") {
			key := op.Who + " " + op.Coll + " " + op.Id
			parts[key] = append(parts[key], op)
		}
	}
	if !h.Audit {
		return parts
	}
	for _, op := range h.Ops {
		if op.Kind == "audit" {
			h.divideAudit(op, parts)
		}
	}
	return parts
}

// The log of all records is a read of each: of those that it names, or of all where it is whole.
func (h *History) divideAudit(op *Op, parts map[string][]*Op) {
	events := map[string][]Event{}
	for _, event := range op.Events {
		key := event.Who + " " + event.Coll + " " + event.Id
		events[key] = append(events[key], event)
	}
	for key := range parts {
		if _, named := events[key]; named || op.Whole {
			own := *op
			own.Events = events[key]
			parts[key] = append(parts[key], &own)
		}
	}
}
