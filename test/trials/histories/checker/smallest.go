// The smallest history that shows a violation.

package main

import (
	"math"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// checkPart is Porcupine on one part of a history.
func checkPart(model porcupine.Model, ops []*Op, limit time.Duration) porcupine.CheckResult {
	history := make([]porcupine.Operation, 0, len(ops))
	for _, op := range ops {
		history = append(history, porcupine.Operation{
			ClientId: op.Client, Input: op, Call: op.Call, Return: op.Return,
		})
	}
	return porcupine.CheckOperationsTimeout(model, history, limit)
}

// smallest gives a part of the operations that is a violation by itself. A
// history's beginning is legal where the whole is, and so is what is left of it
// without an operation that changed nothing; so neither step can make a
// violation of a legal history. Where all subsets of a legal history are legal,
// as with identifiers, `anyGoes`. It stops at what it has when the time is up.
func smallest(model porcupine.Model, ops []*Op, limit time.Duration, anyGoes bool) []*Op {
	fails := func(part []*Op) bool { return checkPart(model, part, limit) == porcupine.Illegal }
	ends := make([]int64, 0, len(ops))
	for _, op := range ops {
		ends = append(ends, op.Return)
	}
	sort.Slice(ends, func(i, j int) bool { return ends[i] < ends[j] })
	at := sort.Search(len(ends), func(i int) bool { return fails(until(ops, ends[i])) })
	if at == len(ends) {
		return ops
	}
	kept := until(ops, ends[at])
	end := time.Now().Add(limit)
	for size := max(1, len(kept)/2); ; size /= 2 {
		for from := 0; from < len(kept) && time.Now().Before(end); {
			rest, dropped := without(kept, from, size, anyGoes)
			if dropped > 0 && fails(rest) {
				kept = rest
			} else {
				from += size
			}
		}
		if size <= 1 {
			return kept
		}
	}
}

// until cuts a history off: what was under way then has not been answered.
func until(ops []*Op, end int64) []*Op {
	part := []*Op{}
	for _, op := range ops {
		switch {
		case op.Return <= end:
			part = append(part, op)
		case op.Call < end && op.write():
			open := *op
			open.Code, open.Return = 0, math.MaxInt64/2
			{
				part = append(part, &open)
			}
		}
	}
	return part
}

func without(ops []*Op, from, size int, anyGoes bool) ([]*Op, int) {
	rest, dropped := []*Op{}, 0
	for i, op := range ops {
		if i >= from && i < from+size && (anyGoes || !op.write() || op.Code == 404) {
			dropped++
			continue
		}
		rest = append(rest, op)
	}
	return rest, dropped
}
