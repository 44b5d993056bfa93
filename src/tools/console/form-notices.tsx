// What stands in the way of saving a form: a question to the operator, and a change by
// somebody else.

import { cut } from './formats.js';
import { Notice, Scroll, Value, type View } from './layout.js';
import type { Change, Difference } from './record-change.js';

/** The columns of a conflict beside the property's name. */
const VALUES = ['base', 'theirs', 'mine'] as const;

export interface Question {
  readonly half: 'fields' | 'json';
  /** Comes back with the answer: it is an answer to this question alone. */
  readonly asked: string;
  readonly change: Pick<Change, 'removed' | 'questions'>;
}

export function Asked({ view, question }: { view: View; question: Question }) {
  const { removed, questions } = question.change;
  const names = removed.map((name) => cut(name, 40)).join(', ');
  return (
    <Notice kind="note">
      <strong>Nothing is saved yet.</strong> Look at this first:
      <ul>
        {[...questions].map(([name, sentence]) => (
          <li>
            <a href={`#field-${name}`}>
              <Value>{sentence}</Value>
            </a>
          </li>
        ))}
        {removed.length > 0 && <li>{view.words.form.removed(names)}</li>}
      </ul>
      <input type="hidden" name="asked" value={question.asked} />
      <button type="submit" name="save" value={`${question.half}-sure`} class="main">
        {removed.length > 0 ? 'Save it so, with null there' : 'Save it so'}
      </button>
    </Notice>
  );
}

export function Conflict({ view, conflict }: { view: View; conflict: readonly Difference[] }) {
  const { words } = view;
  return (
    <>
      <Notice kind="bad">
        <strong>{words.conflict.title}.</strong> {words.conflict.text}
      </Notice>
      <Scroll label={words.conflict.title}>
        <table class="stack">
          <thead>
            <tr>
              {(['property', ...VALUES] as const).map((name) => (
                <th scope="col">{words.conflict[name]}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {conflict.map(({ name, base, theirs, mine }) => (
              <tr>
                <th scope="row">{cut(name)}</th>
                {[base, theirs, mine].map((text, column) => (
                  <td
                    class={column === 2 && mine !== theirs ? 'differs' : undefined}
                    data-label={words.conflict[VALUES[column] ?? 'mine']}
                  >
                    <code>{text === '' ? words.record.notSet : cut(text, 200)}</code>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  );
}
