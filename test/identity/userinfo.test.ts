// Contract, "Authentication", data endpoints: what the user-information
// endpoint's answer makes of a token.

import { describe, expect, it } from 'vitest';
import { userinfoIdentity } from '../../src/core/identity/sign-in.js';
import { openIdentityStub } from '../support/identity-stub.js';
import { answer, askOnce } from '../support/userinfo-exchange.js';

const INVALID = { status: 'invalid' };
const UNAVAILABLE = { status: 'unavailable' };
const HTML = '<!doctype html><title>Error</title><p>No.';
const HTML_HEADERS = { 'Content-Type': 'text/html' };

function identified(subject: string) {
  return { status: 'identified', subject };
}

describe('A usable answer', () => {
  it.each([
    ['a subject', { sub: 'user-1' }, 'sub', 'user-1'],
    [
      'other claims beside it',
      { email: 'a@b.example', sub: 'auth0|1', aud: [1] },
      'sub',
      'auth0|1',
    ],
    ['a subject with spaces', { sub: ' a b ' }, 'sub', ' a b '],
    ['a unicode subject', { sub: 'Zoë 林 🌍' }, 'sub', 'Zoë 林 🌍'],
    ['an escaped surrogate pair', '{"sub":"\\ud83c\\udf0d"}', 'sub', '🌍'],
    ['a field of another name', { id: 'u', sub: 'other' }, 'id', 'u'],
    ['a nested field', { data: { user: { id: 'deep' } } }, 'data.user.id', 'deep'],
    [
      'a member whose name is a URL',
      { 'https://x.example/uid': 'u' },
      '/https:~1~1x.example~1uid',
      'u',
    ],
    ['a member whose name has a tilde', { 'a~b': { c: 'u' } }, '/a~0b/c', 'u'],
    ['an integer', { sub: 42 }, 'sub', '42'],
    ['zero', { sub: 0 }, 'sub', '0'],
    ['a negative integer', { sub: -7 }, 'sub', '-7'],
    ['1,024 bytes of UTF-8', { sub: 'é'.repeat(512) }, 'sub', 'é'.repeat(512)],
    ['the largest safe integer', '{"sub":9007199254740991}', 'sub', '9007199254740991'],
    [
      'a property that objects inherit',
      { constructor: { name: 'own' } },
      'constructor.name',
      'own',
    ],
    ['duplicate keys, of which the last wins', '{"sub":"a","sub":"b"}', 'sub', 'b'],
  ])('names the account: %s', async (_name, body, subjectField, subject) => {
    const { identity } = await askOnce(answer(200, body), { options: { subjectField } });
    expect(identity).toEqual(identified(subject));
  });

  it.each([200, 201, 203, 299])('may have status %i', async (status) => {
    const { identity } = await askOnce(answer(status, { sub: 'user-1' }));
    expect(identity).toEqual(identified('user-1'));
  });

  it('is judged by its content, with any media type', async () => {
    const { identity } = await askOnce(answer(200, { sub: 'user-1' }, HTML_HEADERS));
    expect(identity).toEqual(identified('user-1'));
  });

  it('may come in pieces that split a character', async () => {
    const body = Buffer.from(JSON.stringify({ sub: 'Zoë' }));
    const cut = body.indexOf(0xc3) + 1;
    const { identity } = await askOnce((_token, response) => {
      response.write(body.subarray(0, cut), () => {
        setImmediate(() => response.end(body.subarray(cut)));
      });
    });
    expect(identity).toEqual(identified('Zoë'));
  });
});

describe('An answer without a usable subject', () => {
  it.each([
    ['no such property', {}, 'sub'],
    ['null', { sub: null }, 'sub'],
    ['an empty string', { sub: '' }, 'sub'],
    ['true', { sub: true }, 'sub'],
    ['an array', { sub: ['user-1'] }, 'sub'],
    ['an object', { sub: { id: 'user-1' } }, 'sub'],
    ['an unsafe integer', '{"sub":9007199254740993}', 'sub'],
    ['a fraction', { sub: 1.5 }, 'sub'],
    ['a number beyond doubles', '{"sub":1e999}', 'sub'],
    ['a newline', { sub: 'a\nb' }, 'sub'],
    ['NUL', { sub: 'a\u0000b' }, 'sub'],
    ['DEL', { sub: 'a\u007fb' }, 'sub'],
    ['a C1 control character', { sub: 'a\u0085b' }, 'sub'],
    ['more than 1,024 bytes', { sub: `${'é'.repeat(512)}x` }, 'sub'],
    ['a lone high surrogate', '{"sub":"a\\ud800"}', 'sub'],
    ['a lone low surrogate', '{"sub":"\\udc00b"}', 'sub'],
    ['only an inherited property', {}, 'constructor.name'],
    ['a path through a string', { sub: 'user-1' }, 'sub.length'],
    ['a path through an array', { users: [{ id: 'user-1' }] }, 'users.0.id'],
    ['a path through null', { data: null }, 'data.id'],
    ['a path that ends too early', { data: { id: 'user-1' } }, 'data'],
  ])('leaves the token undecided: %s', async (_name, body, subjectField) => {
    const { identity } = await askOnce(answer(200, body), { options: { subjectField } });
    expect(identity).toEqual(UNAVAILABLE);
  });

  it.each([
    ['a JSON array', '[{"sub":"user-1"}]'],
    ['a JSON string', '"user-1"'],
    ['an empty body', ''],
    ['two values', '{"sub":"user-1"}{}'],
    ['HTML', HTML],
    ['a signed token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyLTEifQ.'],
    ['a form', 'sub=user-1'],
    // Decoded leniently, every account with such a byte would become the same account.
    ['a subject that is not UTF-8', Buffer.from('{"sub":"jos\xe9"}', 'latin1')],
  ])('leaves the token undecided: %s', async (_name, body) => {
    const { identity } = await askOnce(answer(200, body, { 'Content-Type': 'application/jwt' }));
    expect(identity).toEqual(UNAVAILABLE);
  });

  it('leaves the token undecided: 204', async () => {
    const { identity } = await askOnce(answer(204));
    expect(identity).toEqual(UNAVAILABLE);
  });
});

describe('A refusal by the provider', () => {
  const bodies: readonly [string, string | Uint8Array][] = [
    ['an error in JSON', '{"error":"invalid_token"}'],
    ['HTML', HTML],
    ['an empty body', ''],
    ['a body that is not UTF-8', Buffer.from([0xe9, 0xff])],
    ['a huge body', ' '.repeat(1_000_000)],
    ['a subject all the same', '{"sub":"user-1"}'],
  ];
  it.each([400, 401, 403].flatMap((status) => bodies.map((body) => [status, ...body] as const)))(
    'makes the token invalid: %i with %s',
    async (status, _name, body) => {
      const { identity } = await askOnce(answer(status, body));
      expect(identity).toEqual(INVALID);
    },
  );
});

describe('A 2xx that says no', () => {
  it.each<[string, unknown]>([
    ['null', 'null'],
    ['false', 'false'],
    ['an inactive token', { active: false }],
    ['an error', { error: 'invalid_token' }],
    ['an error as an object', { error: { code: 401 } }],
    ['an error that is true', { error: true }],
    ['an error as an array', { error: ['x'] }],
    ["Casdoor's status", { status: 'error', msg: 'Please login first', sub: '' }],
  ])('makes the token invalid: %s', async (_name, body) => {
    expect((await askOnce(answer(200, body))).identity).toEqual(INVALID);
  });

  it.each<[string, unknown]>([
    ['an active token without a subject', { active: true }],
    ['an empty error', { error: '', id: 1 }],
    ['no error', { error: null, id: 1 }],
    ['an empty error object', { error: {} }],
    ['error 0', { error: 0 }],
    ['another status', { status: 'ok' }],
    ['true', 'true'],
    ['zero', '0'],
  ])('is not every 2xx without a subject: %s', async (_name, body) => {
    expect((await askOnce(answer(200, body))).identity).toEqual(UNAVAILABLE);
  });

  it('does not count when the answer names the account', async () => {
    const body = { sub: 'user-1', status: 'error', error: 'of the last payment' };
    expect((await askOnce(answer(200, body))).identity).toEqual(identified('user-1'));
  });
});

describe('Any other answer', () => {
  it.each([402, 404, 405, 407, 409, 429, 500, 502, 503, 504])(
    'leaves the token undecided: status %i',
    async (status) => {
      const { identity, questions } = await askOnce(answer(status, { sub: 'user-1' }));
      expect(identity).toEqual(UNAVAILABLE);
      expect(questions).toBe(1);
    },
  );

  it.each([301, 302, 303, 307, 308])('leaves the token undecided: redirect %i', async (status) => {
    const target = await openIdentityStub(answer(200, { sub: 'user-1' }));
    try {
      const redirect = answer(status, { sub: 'user-1' }, { Location: target.url });
      const { identity, questions } = await askOnce(redirect);
      expect(identity).toEqual(UNAVAILABLE);
      expect(questions).toBe(1);
      expect(target.asked).toEqual([]);
    } finally {
      await target.close();
    }
  });
});

describe('The question', () => {
  it('is one GET to the configured URL that carries the token and asks for JSON', async () => {
    const seen: unknown[] = [];
    await askOnce((_token, response, { method, url, headers }) => {
      seen.push({ method, url, authorization: headers.authorization, accept: headers.accept });
      response.end('{"sub":"user-1"}');
    });
    expect(seen).toEqual([
      {
        method: 'GET',
        url: '/userinfo',
        authorization: 'Bearer a-token',
        accept: 'application/json',
      },
    ]);
  });

  it('may be a POST', async () => {
    const seen: unknown[] = [];
    await askOnce(
      (_token, response, { method, headers }) => {
        seen.push([method, headers['content-length'], headers.authorization]);
        response.end('{"sub":"user-1"}');
      },
      { options: { method: 'POST' } },
    );
    expect(seen).toEqual([['POST', '0', 'Bearer a-token']]);
  });

  it('carries the extra headers of the settings', async () => {
    const seen: unknown[] = [];
    const options = { headers: { apikey: 'the-key', Accept: 'application/vnd.x+json' } };
    await askOnce(
      (_token, response, { headers }) => {
        seen.push([headers['apikey'], headers.accept]);
        response.end('{"sub":"user-1"}');
      },
      { options },
    );
    expect(seen).toEqual([['the-key', 'application/vnd.x+json']]);
  });

  it.each(['authorization', 'Authorization', 'AUTHORIZATION'])(
    "carries the caller's token also when an extra header is called %s",
    async (name) => {
      const seen: unknown[] = [];
      await askOnce(
        (_token, response, { headers }) => {
          seen.push(headers.authorization);
          response.end('{"sub":"user-1"}');
        },
        { options: { headers: { [name]: 'Bearer of-the-operator' } } },
      );
      expect(seen).toEqual(['Bearer a-token']);
    },
  );

  it('is not sent where the path to the subject can match nothing', () => {
    const open = () => userinfoIdentity({ url: 'https://id.example', subjectField: 'a..b' });
    expect(open).toThrow(/subjectField is "a\.\.b"; it must be a dotted path or a JSON Pointer/);
  });
});
