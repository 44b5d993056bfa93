// The parts of the OpenAPI document that the page shows, read without regard to
// whether they stand in place or in `components`.

type Json = Readonly<Record<string, unknown>>;

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

export interface Parameter extends Field {
  readonly in: 'path' | 'query';
  /** The form's initial value. */
  readonly value: string;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** No browser may send the admin key: the preflight does not allow its header. */
  readonly isAdmin: boolean;
  readonly needsToken: boolean;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly fields: readonly Field[]; readonly example: string };
  readonly answers: readonly { readonly status: string; readonly description: string }[];
}

export interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

export interface DescribedApi {
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly baseUrl: string;
  readonly groups: readonly Group[];
}

const METHODS = ['get', 'post', 'patch', 'delete'];
const JSON_TYPE = 'application/json';

export function describedApi(root: Json): DescribedApi {
  const read = reader(root);
  const info = read(root['info']);
  const operations = Object.entries(read(root['paths'])).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = read(item)[method];
      return operation === undefined
        ? []
        : [
            {
              tag: text(list(read(operation)['tags'])[0]),
              ...operationOf(read, path, method, read(item)),
            },
          ];
    }),
  );
  return {
    title: text(info['title']),
    summary: text(info['summary']),
    description: `${text(info['description'])}\n\n${errorCodes(read, root)}`,
    baseUrl: text(read(list(root['servers'])[0])['url']),
    groups: list(root['tags']).map((tag) => {
      const name = text(read(tag)['name']);
      const description = text(read(tag)['description']);
      return { name, description, operations: operations.filter((one) => one.tag === name) };
    }),
  };
}

type Read = (value: unknown) => Json;

/** The list of error codes, which the document keeps where an error's code is described. */
function errorCodes(read: Read, root: Json): string {
  const { schemas } = read(root['components']);
  const { properties } = read(read(schemas)['ErrorDetail']);
  return text(read(read(properties)['code'])['description']).replace(/^/, '`error.code`: ');
}

/** Reads an object of the document, or the one that its `$ref` names. */
function reader(root: Json): Read {
  const read: Read = (value) => {
    const object = typeof value === 'object' && value !== null ? (value as Json) : {};
    const reference = object['$ref'];
    if (typeof reference !== 'string') return object;
    const names = reference.replace(/^#\//, '').split('/');
    return read(names.reduce<unknown>((found, name) => (found as Json | undefined)?.[name], root));
  };
  return read;
}

function operationOf(read: Read, path: string, method: string, item: Json): Operation {
  const operation = read(item[method]);
  const schemes = list(operation['security']).flatMap((scheme) => Object.keys(read(scheme)));
  const parameters = [...list(item['parameters']), ...list(operation['parameters'])].map(read);
  const content = read(read(read(operation['requestBody'])['content'])[JSON_TYPE]);
  const responses = Object.entries(read(operation['responses']));
  const [, success] = responses[0] ?? [];
  const shownId = text(read(read(exampleOf(read, success))['data'])['id']);
  return {
    id: text(operation['operationId']),
    method: method.toUpperCase(),
    path,
    summary: text(operation['summary']),
    description: text(operation['description']),
    isAdmin: schemes.includes('adminKey'),
    needsToken: schemes.includes('bearer'),
    parameters: parameters
      .filter((parameter) => parameter['in'] === 'path' || parameter['in'] === 'query')
      .map((parameter) => parameterOf(read, parameter, shownId)),
    ...(content['schema'] !== undefined && {
      body: {
        fields: fieldsOf(read, content['schema']),
        example: JSON.stringify(exampleIn(read, content) ?? {}, null, 2),
      },
    }),
    answers: responses.map(([status, response]) => {
      return { status, description: text(read(response)['description']) };
    }),
  };
}

function exampleOf(read: Read, response: unknown): unknown {
  return exampleIn(read, read(read(read(response)['content'])[JSON_TYPE]));
}

function exampleIn(read: Read, content: Json): unknown {
  const [first] = Object.values(read(content['examples']));
  return content['example'] ?? read(first)['value'];
}

function parameterOf(read: Read, parameter: Json, shownId: string): Parameter {
  const name = text(parameter['name']);
  const schema = read(parameter['schema']);
  const given =
    parameter['example'] ?? read(Object.values(read(parameter['examples']))[0])['value'];
  const example = name === 'id' && shownId !== '' ? shownId : given;
  const isPath = parameter['in'] === 'path';
  return {
    name,
    in: isPath ? 'path' : 'query',
    type: typeOf(read, schema),
    isRequired: parameter['required'] === true,
    description: text(parameter['description']),
    value: isPath ? String(example ?? '') : '',
  };
}

function fieldsOf(read: Read, schema: unknown): Field[] {
  const { properties, required } = read(schema);
  return Object.entries(read(properties)).map(([name, property]) => ({
    name,
    type: typeOf(read, read(property)),
    isRequired: list(required).includes(name),
    description: text(read(property)['description']),
  }));
}

function typeOf(read: Read, schema: Json): string {
  const type = schema['type'];
  if (Array.isArray(type)) return type.join(' or ');
  if (typeof type === 'string') return type;
  const choices = list(schema['anyOf'] ?? schema['oneOf']).map((one) => typeOf(read, read(one)));
  return choices.join(' or ') || 'anything';
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
