// The form of a record: a field for each known property, and JSON for the other properties.

import { COLLECTIONS } from '../../core/domain/collections.js';
import { isSameValue, type JsonObject } from '../../core/domain/json.js';
import type { PropertyKind } from '../../core/domain/property.js';
import { Crumbs, Frame, Notice } from './layout.js';
import { accountPath } from './paths.js';
import { fieldsOf, jsonText, labelOf, type RecordScope, shownText, valueAt } from './properties.js';
import { fieldName, formTexts, JSON_FIELD } from './record-change.js';

/** A longer text, or one with line breaks, gets a text area. */
const LINE_MAX_CHARACTERS = 80;
const JSON_LINES_MAX = 24;
const FLAGS = { '': 'not set', true: 'yes', false: 'no' };

export interface FormProps extends RecordScope {
  /** Undefined: a new record. */
  readonly id: string | undefined;
  /** The record that the change is based on. */
  readonly base: JsonObject;
  /** Shown instead of the record's values. */
  readonly typed?: URLSearchParams;
  /** Sentences by property; those under `''` are about the whole record. */
  readonly problems?: ReadonlyMap<string, string>;
  /** The record when the form was opened, if someone changed it since. */
  readonly outdated?: JsonObject;
}

export function FormPage(props: FormProps) {
  const { account, collection, id, base, outdated, problems } = props;
  const title = id === undefined ? `New ${COLLECTIONS[collection].names.short}` : `Change ${id}`;
  const back = accountPath(account, collection, ...(id === undefined ? [] : [id]));
  return (
    <Frame title={title} current="accounts">
      <Crumbs record={{ account, collection }} />
      <h1>{title}</h1>
      {problems !== undefined && (
        <Notice kind="bad">
          <strong>Nothing was saved.</strong>{' '}
          {[...problems].map(([name, sentence]) => (
            <>
              <a href={`#${fieldName(name)}`}>
                <bdi>{sentence}</bdi>
              </a>{' '}
            </>
          ))}
        </Notice>
      )}
      {outdated && <ConflictNotice before={outdated} now={base} />}
      <form method="post" class="card" autocomplete="off">
        {/* By this id the form is processed only once. */}
        <input type="hidden" name="form" value={crypto.randomUUID()} />
        <input type="hidden" name="base" value={JSON.stringify(base)} />
        <Fields {...props} />
        <p class="caption">
          Only what you change is sent. Fields with * are required; an emptied field becomes null.
        </p>
        <p class="actions">
          <button type="submit" name="do" value="save" class="main">
            {id === undefined ? 'Create' : 'Save'}
          </button>
          <a class="button" href={back}>
            Cancel
          </a>
        </p>
        {id !== undefined && (
          <details>
            <summary>Delete this record</summary>
            <p>This can’t be undone. Other records that name it stay as they are.</p>
            <button type="submit" name="do" value="delete" class="danger">
              Delete it
            </button>
          </details>
        )}
      </form>
    </Frame>
  );
}

function ConflictNotice({ before, now }: { before: JsonObject; now: JsonObject }) {
  return (
    <Notice kind="bad">
      <strong>Someone changed this record in the meantime.</strong> Nothing was saved. The form
      shows the current record with your changes. Save to overwrite, or cancel.
      <ul>
        {Object.keys({ ...before, ...now }).map((name) => {
          const [was, is] = [valueAt(before, name), valueAt(now, name)];
          if (was !== undefined && is !== undefined && isSameValue(was, is)) return null;
          return (
            <li>
              <bdi>{`${labelOf(name)} was ${jsonText(was)}, and is now ${jsonText(is)}.`}</bdi>
            </li>
          );
        })}
      </ul>
    </Notice>
  );
}

function Fields({ collection, base, typed, problems }: FormProps) {
  const own = formTexts(collection, base);
  return (
    <div class="fields">
      {fieldsOf(collection).map(({ name, kind, rule }) => {
        const text = (typed ?? own).get(fieldName(name)) ?? own.get(fieldName(name));
        // The value is in the JSON, because a field would change it.
        if (text === null) return null;
        const time = kind === 'moment' ? shownText(name, valueAt(base, name)) : '';
        const now = time === '' || time === text ? '' : ` · now ${time}`;
        const label = labelOf(name) + (rule ? ' *' : '') + now;
        return <Field {...{ name, kind, text, label }} problem={problems?.get(name)} />;
      })}
      <Field
        name={JSON_FIELD}
        kind="object"
        text={(typed ?? own).get(fieldName(JSON_FIELD)) ?? '{}'}
        label="Other properties, as JSON"
        problem={problems?.get(JSON_FIELD)}
      />
    </div>
  );
}

interface FieldProps {
  readonly name: string;
  readonly kind: PropertyKind;
  readonly text: string;
  readonly label: string;
  readonly problem: string | undefined;
}

function Field({ name, kind, text, label, problem }: FieldProps) {
  const id = fieldName(name);
  const isBad = problem !== undefined;
  const shared = {
    id,
    name: id,
    'aria-invalid': isBad ? ('true' as const) : undefined,
    'aria-describedby': isBad ? `${id}-problem` : undefined,
  };
  const isLong = kind === 'object' || text.length > LINE_MAX_CHARACTERS || text.includes('\n');
  const rows = Math.min(text.split('\n').length + 2, JSON_LINES_MAX);
  const inputmode = kind === 'number' || kind === 'money' ? 'decimal' : undefined;
  const placeholder = kind === 'moment' ? '2026-12-31' : undefined;
  return (
    <div class={kind === 'object' ? 'wide' : undefined}>
      <label for={id}>{label}</label>
      {kind === 'flag' ? (
        <select {...shared}>
          {Object.entries(FLAGS).map(([value, choice]) => (
            <option value={value} selected={value === text}>
              {choice}
            </option>
          ))}
        </select>
      ) : isLong ? (
        <textarea {...shared} rows={rows} class={kind === 'object' ? 'code' : undefined}>
          {/* HTML drops a line break at the start of a text area. */ `\n${text}`}
        </textarea>
      ) : (
        <input {...shared} {...{ inputmode, placeholder }} type="text" value={text} />
      )}
      {isBad && (
        <p class="bad" id={`${id}-problem`}>
          <bdi>{problem}</bdi>
        </p>
      )}
    </div>
  );
}
