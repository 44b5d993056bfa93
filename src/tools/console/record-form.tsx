// The one form of a record: a field for each known property, and JSON for what has no field.

import { COLLECTIONS } from '../../core/domain/collections.js';
import type { JsonObject } from '../../core/domain/json.js';
import type { Property } from '../../core/domain/property.js';
import { Frame, Notice, Table, Token, type View } from './layout.js';
import { accountPath } from './paths.js';
import { fieldsOf, jsonText, labelOf, shownText, valueAt } from './properties.js';
import { fieldName, formTexts, JSON_FIELD } from './record-change.js';
import { Crumbs, type RecordPlace, recordPath } from './record-place.js';

/** A longer text, or one with line ends, gets a field of several lines. */
const LINE_MAX_CHARACTERS = 80;
const JSON_LINES_MAX = 24;
/** Of a conflict. */
const COLUMNS = ['Property', 'When you opened it', 'Now', 'Yours'];

export interface Conflict {
  /** The record when the form was opened, as it is, as the operator wants it. */
  readonly versions: readonly [base: JsonObject, now: JsonObject, mine: JsonObject];
  readonly names: readonly string[];
}

export interface FormProps {
  readonly view: View;
  readonly place: RecordPlace;
  /** Undefined: a new record. */
  readonly id: string | undefined;
  /** The record that the change is made from. */
  readonly base: JsonObject;
  /** What the form holds instead of the record's texts. */
  readonly typed?: URLSearchParams;
  /** Sentences by property; under `''` those of none. */
  readonly problems?: ReadonlyMap<string, string>;
  readonly note?: string;
  readonly conflict?: Conflict;
}

export function FormPage(props: FormProps) {
  const { view, place, id, base, note, conflict } = props;
  const title =
    id === undefined ? `New ${COLLECTIONS[place.collection].names.short}` : `Change ${id}`;
  const list = accountPath(place.account, place.collection);
  const path = id === undefined ? list : recordPath(place, id);
  return (
    <Frame view={view} title={title} current="accounts">
      <Crumbs place={place} />
      <h1>{title}</h1>
      {note !== undefined && <Notice kind="note">{note}</Notice>}
      <Problems {...props} />
      {conflict && <ConflictTable conflict={conflict} />}
      <form
        method="post"
        action={id === undefined ? `${list}/new` : `${path}/change`}
        class="card"
        autocomplete="off"
      >
        <Token view={view} />
        <input type="hidden" name="base" value={JSON.stringify(base)} />
        <p class="caption">
          Only what you change is sent. * is required. An emptied field is null.
        </p>
        <Fields {...props} />
        <p class="actions">
          <button type="submit" name="do" value="save" class="main">
            {id === undefined ? 'Create' : 'Save'}
          </button>
          <a class="button" href={path}>
            Cancel
          </a>
        </p>
        {id !== undefined && (
          <details>
            <summary>Delete this record</summary>
            <p>This can’t be undone. Other records that name it stay as they are.</p>
            <button type="submit" name="do" value="delete" class="danger" formnovalidate>
              Delete it
            </button>
          </details>
        )}
      </form>
    </Frame>
  );
}

function Problems({ problems }: FormProps) {
  if (problems === undefined || problems.size === 0) return null;
  return (
    <Notice kind="bad">
      <strong>Nothing was saved.</strong> {problems.get('')}
      <ul>
        {[...problems].map(
          ([name, sentence]) =>
            name !== '' && (
              <li>
                <a href={`#${fieldName(name)}`}>
                  <bdi>{sentence}</bdi>
                </a>
              </li>
            ),
        )}
      </ul>
    </Notice>
  );
}

function ConflictTable({ conflict: { versions, names } }: { readonly conflict: Conflict }) {
  return (
    <>
      <Notice kind="bad">
        <strong>Somebody changed this record in the meantime.</strong> Nothing was saved. The form
        has the current record with your changes. Save to overwrite, or cancel.
      </Notice>
      <Table
        label="What changed"
        columns={COLUMNS}
        rows={names.map((name) => [
          labelOf(name),
          ...versions.map((record) => <code>{jsonText(valueAt(record, name))}</code>),
        ])}
      />
    </>
  );
}

function Fields({ view, place, base, typed, problems }: FormProps) {
  const own = formTexts(view.formats, place.collection, base);
  const textOf = (name: string) => (typed ?? own).get(name) ?? own.get(name);
  return (
    <div class="fields">
      {fieldsOf(place.collection).map((property) => {
        const text = textOf(fieldName(property.name));
        // Its value is in the JSON, because a field would change it.
        if (text === null) return null;
        const time = shownText(view.formats, property.name, valueAt(base, property.name));
        const now = property.kind === 'moment' && time !== text && time !== '' && ` · now ${time}`;
        return (
          <Field {...{ property, text }} problem={problems?.get(property.name)}>
            {now}
          </Field>
        );
      })}
      <JsonField text={textOf(JSON_FIELD) ?? '{}'} problem={problems?.get(JSON_FIELD)} />
    </div>
  );
}

interface FieldProps {
  readonly property: Property;
  readonly text: string;
  readonly problem: string | undefined;
  readonly children?: string | false;
}

function Field({ property, text, problem, children }: FieldProps) {
  const { name, isRequired } = property;
  const id = fieldName(name);
  return (
    <div>
      <label for={id}>
        {labelOf(name)}
        {isRequired && ' *'}
        <small>{children}</small>
      </label>
      <Input property={property} text={text} isBad={problem !== undefined} />
      <Problem id={id} problem={problem} />
    </div>
  );
}

function Input({
  property: { name, kind },
  text,
  isBad,
}: Omit<FieldProps, 'problem'> & { isBad: boolean }) {
  const shared = { name: fieldName(name), ...stateOf(fieldName(name), isBad) };
  if (kind === 'flag') {
    return (
      <select {...shared}>
        {[
          ['', 'not set'],
          ['true', 'yes'],
          ['false', 'no'],
        ].map(([value, label]) => (
          <option value={value} selected={value === text}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  if (text.length > LINE_MAX_CHARACTERS || text.includes('\n')) {
    return (
      <textarea {...shared} rows={4}>
        {firstLineKept(text)}
      </textarea>
    );
  }
  const isNumber = kind === 'number' || kind === 'money';
  return (
    <input
      {...shared}
      type="text"
      value={text}
      inputmode={isNumber ? 'decimal' : undefined}
      placeholder={kind === 'moment' ? '2026-12-31' : undefined}
    />
  );
}

function JsonField({
  text,
  problem,
}: {
  readonly text: string;
  readonly problem: string | undefined;
}) {
  const id = fieldName(JSON_FIELD);
  return (
    <div class="wide">
      <label for={id}>Other properties, as JSON</label>
      <textarea
        name={JSON_FIELD}
        class="code"
        rows={Math.min(text.split('\n').length + 1, JSON_LINES_MAX)}
        spellcheck={false}
        {...stateOf(id, problem !== undefined)}
      >
        {firstLineKept(text)}
      </textarea>
      <Problem id={id} problem={problem} />
    </div>
  );
}

function Problem({ id, problem }: { readonly id: string; readonly problem: string | undefined }) {
  return problem === undefined ? null : (
    <p class="bad" id={`${id}-problem`}>
      <bdi>{problem}</bdi>
    </p>
  );
}

function stateOf(id: string, isBad: boolean) {
  return {
    id,
    'aria-invalid': isBad ? ('true' as const) : undefined,
    'aria-describedby': isBad ? `${id}-problem` : undefined,
  };
}

/** HTML drops a line end at the start of a text area. */
function firstLineKept(text: string): string {
  return `\n${text}`;
}
