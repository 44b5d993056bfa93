// The form of a record: its known properties as fields, the whole record as JSON
// beside them.

import type { JsonObject } from '../../core/domain/json.js';
import { Asked, Conflict, type Question } from './form-notices.js';
import { cut } from './formats.js';
import { SHORT_NAMES } from './labels.js';
import { Frame, Notice, Token, Value, type View } from './layout.js';
import { accountPath } from './paths.js';
import { fieldText, isMoment, labelOf, type Property, propertiesOf } from './properties.js';
import type { Difference } from './record-change.js';
import { Crumbs, type RecordPlace, recordPath } from './record-pages.js';

/** A longer text, or one with line ends, gets a field of several lines. */
const LINE_MAX_CHARACTERS = 80;
/** Shown at once; the field scrolls. */
const JSON_LINES_MAX = 24;

export interface FormProps {
  readonly view: View;
  readonly place: RecordPlace;
  /** Undefined: a new record. */
  readonly id: string | undefined;
  /** The record as the operator saw it first. */
  readonly base: JsonObject;
  /** The input in the fields, when it differs from the base: it is kept. */
  readonly typed?: ReadonlyMap<string, string>;
  readonly json?: string;
  /** Sentences by property; under `''` those of no property. */
  readonly problems?: ReadonlyMap<string, string>;
  /** What the operator must answer before the half that was to be saved is sent. */
  readonly question?: Question | undefined;
  /** What the account's records have already, by property. */
  readonly labels: ReadonlyMap<string, readonly string[]>;
  readonly notice?: string;
  /** The properties that changed meanwhile. */
  readonly conflict?: readonly Difference[];
  readonly isGone?: boolean;
}

export function FormPage(props: FormProps) {
  const { view, place, id, problems, notice, question } = props;
  const title = id === undefined ? `New ${SHORT_NAMES[place.collection]}` : `Change ${id}`;
  const general = problems?.get('');
  const action =
    id === undefined
      ? `${accountPath(place.account, place.collection)}/new`
      : `${recordPath(place, id)}/change`;
  return (
    <Frame view={view} title={title} current="accounts">
      <Crumbs place={place} />
      <h1>{title}</h1>
      {notice !== undefined && <Notice kind="note">{notice}</Notice>}
      {problems !== undefined && problems.size > 0 && (
        <Notice kind="bad">
          <strong>Nothing was saved.</strong> {general}
          <ul>
            {[...problems]
              .filter(([name]) => name !== '')
              .map(([name, sentence]) => (
                <li>
                  <a href={`#field-${name}`}>
                    <Value>{sentence}</Value>
                  </a>
                </li>
              ))}
          </ul>
        </Notice>
      )}
      {props.isGone && (
        <Notice kind="bad">
          <strong>Somebody deleted this record meanwhile.</strong> Nothing was saved. The form holds
          the record as you wanted it: you can create it as a new one, which gets a new id.
        </Notice>
      )}
      {props.conflict && <Conflict conflict={props.conflict} />}
      <form method="post" action={action} autocomplete="off">
        <Token view={view} />
        <input type="hidden" name="base" value={JSON.stringify(props.base)} />
        {question && <Asked question={question} />}
        <div class="columns">
          <Fields {...props} />
          <Json {...props} />
        </div>
        <p>
          <a
            class="button"
            href={
              id === undefined || props.isGone
                ? accountPath(place.account, place.collection)
                : recordPath(place, id)
            }
          >
            Cancel
          </a>
        </p>
      </form>
    </Frame>
  );
}

function Fields(props: FormProps) {
  const { place, id } = props;
  return (
    <fieldset>
      <legend>Known properties</legend>
      <p class="caption">Only what you change here is sent. Fields with a star are required.</p>
      {propertiesOf(place.collection).map((property) => (
        <Field {...props} property={property} />
      ))}
      <button type="submit" name="save" value="fields" class="main">
        {id === undefined ? 'Create from these fields' : 'Save these fields'}
      </button>
    </fieldset>
  );
}

function Field(props: FormProps & { readonly property: Property }) {
  const { view, base, typed, problems, labels, property } = props;
  const { name, isRequired } = property;
  const stored = Object.hasOwn(base, name) ? base[name] : undefined;
  const own = fieldText(property, stored);
  const problem = problems?.get(name);
  const inputId = `field-${name}`;
  const label = (
    <label for={inputId}>
      {labelOf(name)}
      {isRequired && ' *'} <code>{name}</code>
    </label>
  );
  if (own === undefined) {
    return (
      <div class="field">
        {label}
        <output id={inputId}>
          <code>{cut(JSON.stringify(stored))}</code> not shown as a field; change it in the JSON
        </output>
      </div>
    );
  }
  return (
    <div class="field">
      {label}
      <Input
        property={property}
        text={typed?.get(name) ?? own}
        isBad={problem !== undefined}
        labels={labels.get(name) ?? []}
      />
      {typeof stored === 'string' && isMoment(name, stored) && (
        <p class="caption">{`Stored now: ${view.formats.time(stored)} in ${view.formats.timeZone}.`}</p>
      )}
      {problem !== undefined && (
        <p class="problem" id={`${inputId}-problem`}>
          <Value>{problem}</Value>
        </p>
      )}
    </div>
  );
}

interface InputProps {
  readonly property: Property;
  readonly text: string;
  readonly isBad: boolean;
  readonly labels: readonly string[];
}

function Input({ property, text, isBad, labels }: InputProps) {
  const { name, kind } = property;
  const shared = {
    id: `field-${name}`,
    name: `field.${name}`,
    'aria-invalid': isBad ? ('true' as const) : undefined,
    'aria-describedby': isBad ? `field-${name}-problem` : undefined,
  };
  if (kind === 'flag') {
    return (
      <select {...shared}>
        {['', 'true', 'false'].map((value) => (
          <option value={value} selected={value === text}>
            {value === '' ? '–' : value}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'text' && (text.length > LINE_MAX_CHARACTERS || /[\r\n]/.test(text))) {
    return (
      <textarea {...shared} rows={4}>
        {firstLineKept(text)}
      </textarea>
    );
  }
  const listId = `labels-${name}`;
  return (
    <>
      <input
        {...shared}
        type="text"
        value={text}
        inputmode={kind === 'number' ? 'decimal' : undefined}
        placeholder={kind === 'date' ? '2026-12-31' : undefined}
        list={labels.length > 0 ? listId : undefined}
      />
      {labels.length > 0 && (
        <datalist id={listId}>
          {labels.map((label) => (
            <option value={label} />
          ))}
        </datalist>
      )}
    </>
  );
}

function Json({ id, base, json, problems }: FormProps) {
  const problem = problems?.get('json');
  const text = json ?? JSON.stringify(base, null, 2);
  return (
    <fieldset>
      <legend>The whole record as JSON</legend>
      <p class="caption">
        Only the properties that differ are sent. The service sets id and owner_sub.
      </p>
      <label for="field-json" class="hidden">
        The whole record as JSON
      </label>
      <textarea
        id="field-json"
        name="json"
        class="code"
        rows={Math.min(text.split('\n').length + 3, JSON_LINES_MAX)}
        spellcheck={false}
        aria-invalid={problem === undefined ? undefined : 'true'}
      >
        {firstLineKept(text)}
      </textarea>
      {problem !== undefined && <p class="problem">{problem}</p>}
      <button type="submit" name="save" value="json">
        {id === undefined ? 'Create from this JSON' : 'Save this JSON'}
      </button>
    </fieldset>
  );
}

/** HTML drops one line end at the start of a text area. */
function firstLineKept(text: string): string {
  return `\n${text}`;
}
