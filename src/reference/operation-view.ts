// One operation on the page: closed a line, open its form, the command for a shell,
// the reply, its fields and its answers.

import type { Field, Operation, Parameter } from './described-api.js';
import { element, words } from './dom.js';
import { curlOf, idIn, type Reply, requestOf, send } from './exchange.js';

/** The values that the operations of a page share. */
export interface Session {
  readonly baseUrl: string;
  token(): string;
  /** Calls back at once, and when another token is given. */
  onToken(listener: () => void): void;
  /** The id that was met last under a path, such as `/orders`. */
  readonly lastIds: Map<string, string>;
}

export function operationView(session: Session, operation: Operation): HTMLDetailsElement {
  const { id, method, path, summary } = operation;
  const view = element(
    'details',
    { id, class: 'operation' },
    element(
      'summary',
      {},
      element('span', { class: `method ${method.toLowerCase()}` }, method),
      element('code', { class: 'path' }, ...breakable(path)),
      element('span', { class: 'says' }, summary),
    ),
  );
  // Made when it is first opened: a page of closed lines is there at once.
  view.addEventListener('toggle', () => {
    if (view.open && view.childElementCount === 1) view.append(inside(session, operation));
  });
  return view;
}

function inside(session: Session, operation: Operation): HTMLElement {
  const { description, parameters, body, answers } = operation;
  return element(
    'div',
    { class: 'inside' },
    description === '' ? undefined : element('p', {}, ...words(description)),
    tryIt(session, operation),
    parameters.length === 0 ? undefined : fieldTable('Parameters', parameters),
    body === undefined || body.fields.length === 0 ? undefined : fieldTable('Body', body.fields),
    element(
      'details',
      { class: 'answers' },
      element('summary', {}, `Answers: ${answers.map(({ status }) => status).join(', ')}`),
      element(
        'dl',
        {},
        ...answers.flatMap(({ status, description: says }) => [
          element('dt', {}, status),
          element('dd', {}, ...words(says)),
        ]),
      ),
    ),
  );
}

/** The form of a request, which shows the request to be sent; an administration request has no button. */
export function tryIt(session: Session, operation: Operation): HTMLElement {
  const inputs = new Map(
    operation.parameters.map((field) => [field.name, inputOf(session, operation, field)]),
  );
  const body = operation.body && bodyOf(operation.body.example, operation.id);
  const command = element('pre', {
    class: 'curl',
    tabindex: '0',
    'aria-label': 'The same request for a shell',
  });
  const reply = element('div', { class: 'reply', 'aria-live': 'polite' });
  const request = () => {
    const values = new Map([...inputs].map(([name, input]) => [name, input.value]));
    return requestOf(session.baseUrl, operation, values, session.token(), body?.value ?? '');
  };
  const show = () => {
    command.textContent = curlOf(request(), operation.isAdmin);
  };
  const form = element(
    'form',
    { class: 'try' },
    ...[...inputs].map(([name, input]) => labelled(name, input)),
    body === undefined ? undefined : labelled('body', body),
    operation.isAdmin
      ? element('p', { class: 'note' }, 'For servers: no browser may send the admin key.')
      : element('button', { type: 'submit' }, 'Send'),
    command,
    reply,
  );
  form.addEventListener('input', show);
  session.onToken(show);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const answer = await send(request());
    remember(session, operation, answer);
    reply.replaceChildren(...replyView(answer));
  });
  return form;
}

function inputOf(
  session: Session,
  { path, id }: Operation,
  { name, value }: Parameter,
): HTMLInputElement {
  const known = name === 'id' ? session.lastIds.get(collectionOf(path)) : undefined;
  return element('input', {
    name,
    id: `${id}-${name}`,
    value: known ?? value,
    autocomplete: 'off',
    spellcheck: 'false',
  });
}

function bodyOf(example: string, id: string): HTMLTextAreaElement {
  const rows = String(example.split('\n').length);
  return element(
    'textarea',
    { name: 'body', id: `${id}-body`, rows, spellcheck: 'false' },
    example,
  );
}

function labelled(name: string, input: HTMLElement): HTMLElement {
  return element('label', { for: input.id }, element('span', {}, name), input);
}

function remember(session: Session, { path }: Operation, { isGood, text }: Reply): void {
  const id = idIn(text);
  if (isGood && id !== undefined) session.lastIds.set(collectionOf(path), id);
}

/** `/orders/{id}` → `/orders`. */
function collectionOf(path: string): string {
  return path.replace(/\/\{id\}$/, '');
}

function replyView({ status, isGood, text, milliseconds }: Reply): HTMLElement[] {
  return [
    element(
      'p',
      { class: isGood ? 'good' : 'bad' },
      element('strong', {}, status),
      ` in ${milliseconds} ms`,
    ),
    element('pre', { tabindex: '0', 'aria-label': 'The answer' }, ...coloured(text)),
  ];
}

/** Names and texts of JSON in colours of their own. */
function coloured(text: string): Node[] {
  return text.split(/("(?:[^"\\]|\\.)*"(?:\s*:)?)/).map((part) => {
    if (!part.startsWith('"')) return document.createTextNode(part);
    return element('span', { class: part.endsWith(':') ? 'name' : 'text' }, part);
  });
}

function fieldTable(title: string, fields: readonly Field[]): HTMLElement {
  const rows = fields.map(({ name, type, isRequired, description }) =>
    element(
      'tr',
      {},
      element(
        'td',
        {},
        element('code', {}, name),
        isRequired ? element('b', {}, ' required') : undefined,
      ),
      element('td', {}, type),
      element('td', {}, ...words(description)),
    ),
  );
  const region = { class: 'scrolls', tabindex: '0', role: 'region', 'aria-label': title };
  return element(
    'div',
    region,
    element('table', {}, element('caption', {}, title), element('tbody', {}, ...rows)),
  );
}

/** A long path may break behind each of its slashes. */
function breakable(path: string): Node[] {
  return path.split(/(?<=\/)/).flatMap((part) => [document.createTextNode(part), element('wbr')]);
}
