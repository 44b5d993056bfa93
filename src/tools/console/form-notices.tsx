// What stands in the way of saving a form: a question to the operator, and a change by
// somebody else.

import { cut } from './formats.js';
import { Head, Notice, Scroll, Value } from './layout.js';
import type { Change, Difference } from './record-change.js';

/** The columns of a conflict beside the property's name. */
const VALUES = ['You saw', 'Now', 'Yours'];

export interface Question {
  readonly half: 'fields' | 'json';
  /** Comes back with the answer: it is an answer to this question alone. */
  readonly asked: string;
  readonly change: Pick<Change, 'removed' | 'questions'>;
}

export function Asked({ question }: { readonly question: Question }) {
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
        {removed.length > 0 && (
          <li>{`A change is merged into the record, so it cannot remove a property: ${names}. It can set null in its place.`}</li>
        )}
      </ul>
      <input type="hidden" name="asked" value={question.asked} />
      <button type="submit" name="save" value={`${question.half}-sure`} class="main">
        {removed.length > 0 ? 'Save it so, with null there' : 'Save it so'}
      </button>
    </Notice>
  );
}

export function Conflict({ conflict }: { readonly conflict: readonly Difference[] }) {
  return (
    <>
      <Notice kind="bad">
        <strong>Somebody changed this record meanwhile.</strong> Nothing was saved. The table shows
        the record as it is now beside yours; the form holds the record of now with your changes in
        it. Save to overwrite, or cancel to keep theirs.
      </Notice>
      <Scroll label="Somebody changed this record meanwhile">
        <table class="stack">
          <Head names={['Property', ...VALUES]} />
          <tbody>
            {conflict.map(({ name, base, theirs, mine }) => (
              <tr>
                <th scope="row">{cut(name)}</th>
                {[base, theirs, mine].map((text, column) => (
                  <td
                    class={column === 2 && mine !== theirs ? 'differs' : undefined}
                    data-label={VALUES[column]}
                  >
                    <code>{text === '' ? 'not set' : cut(text, 200)}</code>
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
