// The script of the API reference page, for the browser: who you are, one request
// to send at once, then every operation of the OpenAPI document.

import { type DescribedApi, describedApi, type Group, type Operation } from './described-api.js';
import { element, words } from './dom.js';
import { operationView, type Session, tryIt } from './operation-view.js';
import { prose } from './prose.js';

const SAMPLE_TOKEN = 'local-preview';
/** The request that the first screen offers. */
const FIRST_OPERATION = 'listOrders';

const api = describedApi(await (await fetch('openapi.json')).json());
document.title = api.title;
const session = openSession(api.baseUrl);
const all = api.groups.flatMap(({ operations }) => operations);
const first = all.find(({ id }) => id === FIRST_OPERATION) ?? all[0];
const views = element('div', {}, ...api.groups.map((group) => groupView(group)));
document
  .querySelector('main')
  ?.replaceChildren(
    heading(api),
    first === undefined ? '' : firstRequest(first),
    filter(views),
    views,
    element(
      'section',
      { id: 'about' },
      element('h2', {}, 'About the API'),
      ...prose(api.description),
    ),
  );
document.querySelector('nav')?.replaceChildren(...navigation(api.groups));
openNamed();
addEventListener('hashchange', openNamed);

function openSession(baseUrl: string): Session & { readonly input: HTMLInputElement } {
  const input = element('input', {
    id: 'token',
    value: SAMPLE_TOKEN,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  return {
    baseUrl,
    input,
    token: () => input.value.trim(),
    onToken(listener) {
      input.addEventListener('input', listener);
      listener();
    },
    lastIds: new Map(),
  };
}

function heading({ title, summary, baseUrl }: DescribedApi): HTMLElement {
  const hint = `\`${SAMPLE_TOKEN}\` owns the sample shop. Any \`local-NAME\` is an account of its own, such as \`local-amina\`.`;
  return element(
    'header',
    {},
    element('h1', {}, title),
    element('p', { class: 'lead' }, summary),
    element('p', {}, 'The preview runs at ', element('code', {}, baseUrl), ' on this machine.'),
    element(
      'div',
      { class: 'who' },
      element('label', { for: 'token' }, element('span', {}, 'You are the account'), session.input),
      element('p', { class: 'note' }, ...words(hint)),
    ),
  );
}

function firstRequest(operation: Operation): HTMLElement {
  const short = { ...operation, id: 'first', parameters: [] };
  return element(
    'section',
    { class: 'first' },
    element('h2', {}, 'Try a request'),
    element(
      'p',
      {},
      element('code', {}, `${operation.method} ${operation.path}`),
      ` ${operation.summary}`,
    ),
    tryIt(session, short),
  );
}

/** Hides the operations that do not have the text. */
function filter(shown: HTMLElement): HTMLElement {
  const input = element('input', {
    id: 'filter',
    type: 'search',
    placeholder: 'such as customer, PATCH, /payments',
  });
  input.addEventListener('input', () => {
    const wanted = input.value.trim().toLowerCase();
    for (const section of shown.querySelectorAll('section')) {
      let found = 0;
      for (const operation of section.querySelectorAll<HTMLElement>('.operation')) {
        const line = operation.querySelector('summary')?.textContent ?? '';
        operation.hidden = !line.toLowerCase().includes(wanted);
        if (!operation.hidden) found++;
      }
      section.hidden = found === 0;
    }
  });
  return element(
    'label',
    { for: 'filter', class: 'filter' },
    element('span', {}, 'Find an operation'),
    input,
  );
}

function groupView({ name, description, operations }: Group): HTMLElement {
  return element(
    'section',
    { id: anchor(name) },
    element('h2', {}, name),
    element('p', {}, ...words(description)),
    ...operations.map((operation) => operationView(session, operation)),
  );
}

function navigation(groups: readonly Group[]): HTMLElement[] {
  const links = groups.map(({ name }) => element('a', { href: `#${anchor(name)}` }, name));
  return [...links, element('a', { href: '#about' }, 'About the API')];
}

/** A link to an operation opens it. */
function openNamed(): void {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) named.open = true;
  named?.scrollIntoView();
}

function anchor(name: string): string {
  return name.toLowerCase().replace(/\W+/g, '-');
}
