// One record as a register: created, merged into, deleted, read, and with the
// audit events of what the operator did to it.

package main

import (
	"strings"

	"github.com/anishathalye/porcupine"
)

// recordState is a record, absent where fields is nil, and its events so far.
type recordState struct {
	fields Fields
	text   string
	events string
}

func (s recordState) with(fields Fields, event Event, operator bool) recordState {
	next := recordState{fields: fields, events: s.events}
	if fields != nil {
		next.text = fields.text()
	}
	if operator {
		next.events += event.text() + " "
	}
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
		after = state.with(op.made(), Event{Action: "create", Changed: op.names()}, op.Operator)
	case "patch":
		if present {
			merged, changed := state.fields.patched(op.Body)
			after = state.with(merged, Event{Action: "update", Changed: changed}, op.Operator)
		}
	case "delete":
		if present {
			after = state.with(nil, Event{Action: "delete"}, op.Operator)
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

func eventsFit(events string, op *Op) bool {
	var seen strings.Builder
	for _, event := range op.Events {
		seen.WriteString(event.text() + " ")
	}
	if op.Whole {
		return events == seen.String()
	}
	return strings.HasSuffix(events, seen.String())
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
			return (one.fields == nil) == (other.fields == nil) && one.text == other.text && one.events == other.events
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
