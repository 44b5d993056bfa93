// Texts for bodies: JSON in every form of the grammar, and next to each form texts that
// only look like it. The expected record stands here; the service is not asked for it.

/** `wanted` is the object that must be stored; undefined when the text must be refused. */
export type Text = { what: string; bytes: Buffer; wanted: Record<string, unknown> | undefined };

const DEPTH_MAX = 512;

export function jsonTexts(): Text[] {
  return [
    ...numbers(),
    ...escapes(),
    ...rawBytes(),
    ...utf8(),
    ...whiteSpace(),
    ...depths(),
    ...names(),
    ...structures(),
  ];
}

/** The value in an object, and in an array in an object. */
function valueTexts(kind: string, value: string, wanted: unknown) {
  return [
    text(`${kind} ${value}`, `{"v":${value}}`, wanted === undefined ? undefined : { v: wanted }),
    text(
      `${kind} [${value}]`,
      `{"v":[0,${value}]}`,
      wanted === undefined ? undefined : { v: [0, wanted] },
    ),
  ];
}

function numbers() {
  const good = [
    ...'0 -0 1 -1 10 1.0 0.1 -0.1 1e1 1E1 1e+1 1e-1 0e0 1.5e3 1e308 -1e308 1e-999 0e999'.split(' '),
    ...'9007199254740993 5e-324 1.7976931348623157e308 123456789012345678901234567890'.split(' '),
    `0.${'0'.repeat(400)}1`,
    '9'.repeat(308),
  ];
  const infinite = [
    ...'1e309 -1e309 1e999999 1.8e308 17976931348623159e292'.split(' '),
    '9'.repeat(310),
    `1${'0'.repeat(400)}`,
    `${'9'.repeat(400)}.5`,
    `0.1e${'9'.repeat(20)}`,
  ];
  const bad = [
    ...'00 01 -01 - +1 .5 5. 1.e1 1e 1e+ 1e1.5 0x1 1_000 1n --1 1-1 0b1 1e1e1 . e5 1f'.split(' '),
    ...['NaN', 'Infinity', '-Infinity', '1 2', '\u0661', '\uff11'],
  ];
  return [
    ...good.flatMap((number) =>
      valueTexts('the number', number, Number(number) === 0 ? 0 : Number(number)),
    ),
    ...[...infinite, ...bad].flatMap((number) => valueTexts('no number', number, undefined)),
  ];
}

function escapes() {
  const known = new Map([...'"\\/'].map((sign) => [sign, sign]));
  for (const [sign, value] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t'])
    known.set(String(sign), String(value));
  const texts = [];
  for (let code = 0x20; code < 0x7f; code++) {
    const sign = String.fromCharCode(code);
    // `\\u` alone lacks its digits.
    texts.push(...valueTexts('the escape', `"\\${sign}"`, known.get(sign)));
  }
  for (const code of ['0000', '001F', '00e9', 'D83D\\uDE00', 'ffff', 'd800', 'DC00']) {
    const units = code.split('\\u').map((hex) => Number.parseInt(hex, 16));
    texts.push(...valueTexts('the escape', `"\\u${code}"`, String.fromCharCode(...units)));
  }
  for (const code of ['', '0', '00', '000', 'g000', '00 0', '-001', '+001', '{41}']) {
    texts.push(...valueTexts('no escape', `"\\u${code}"`, undefined));
  }
  return texts;
}

/** Every byte, in a string and outside of one. */
function rawBytes() {
  const texts = [];
  for (let byte = 0; byte < 256; byte++) {
    const bytes = Buffer.of(byte);
    const sign = String.fromCharCode(byte);
    const inString = byte >= 0x20 && byte < 0x80 && sign !== '"' && sign !== '\\';
    texts.push(
      parts(
        `the byte ${byte} in a string`,
        ['{"v":"a', bytes, 'x"}'],
        inString ? { v: `a${sign}x` } : undefined,
      ),
    );
    const isSpace = [0x20, 0x09, 0x0a, 0x0d].includes(byte);
    texts.push(
      parts(
        `the byte ${byte} before a value`,
        ['{"v":', bytes, 'true}'],
        isSpace ? { v: true } : undefined,
      ),
    );
    texts.push(
      parts(
        `the byte ${byte} after the object`,
        ['{"v":true}', bytes],
        isSpace ? { v: true } : undefined,
      ),
    );
    texts.push(
      parts(
        `the byte ${byte} before the object`,
        [bytes, '{"v":true}'],
        isSpace ? { v: true } : undefined,
      ),
    );
  }
  return texts;
}

function utf8() {
  const good = [
    '7f, c2 80, df bf, e0 a0 80, ed 9f bf, ee 80 80, ef bf bf, ef bb bf, f0 90 80 80',
    'f4 8f bf bf',
  ].flatMap(bytesIn);
  const bad = [
    '80, bf, c0 80, c1 bf, c2, c2 41, e0 80 80, e0 9f bf, e2 82, ed a0 80, ed bf bf',
    'ed a0 bd ed b8 80, f0 80 80 80, f0 8f bf bf, f0 9f 98, f4 90 80 80, f5 80 80 80',
    'f8 88 80 80 80, fe, ff, ff fe, fe ff',
  ].flatMap(bytesIn);
  const inValue = (bytes: number[], isGood: boolean) =>
    parts(
      `the bytes ${bytes} in a value`,
      ['{"v":"', Buffer.from(bytes), '"}'],
      isGood ? { v: Buffer.from(bytes).toString() } : undefined,
    );
  const inName = (bytes: number[], isGood: boolean) =>
    parts(
      `the bytes ${bytes} in a name`,
      ['{"', Buffer.from(bytes), '":1}'],
      isGood ? { [Buffer.from(bytes).toString()]: 1 } : undefined,
    );
  const marks = [
    [0xef, 0xbb, 0xbf],
    [0xff, 0xfe],
    [0xfe, 0xff],
    [0, 0, 0xfe, 0xff],
    [0x2b, 0x2f, 0x76],
  ];
  return [
    ...good.flatMap((bytes) => [inValue(bytes, true), inName(bytes, true)]),
    ...bad.flatMap((bytes) => [inValue(bytes, false), inName(bytes, false)]),
    ...marks.map((bytes) => parts(`the mark ${bytes}`, [Buffer.from(bytes), '{"v":1}'], undefined)),
    ...['utf16le', 'latin1'].map((encoding) =>
      parts(`in ${encoding}`, [Buffer.from('{"v":"é"}', encoding as BufferEncoding)], undefined),
    ),
  ];
}

/** Characters that are white space in other languages, but not in JSON. */
function whiteSpace() {
  return [
    '\u00a0',
    '\u1680',
    '\u2003',
    '\u2028',
    '\u2029',
    '\u3000',
    '\ufeff',
    '\u200b',
    '\u0085',
  ].flatMap((sign) => [
    text(`white space ${sign.charCodeAt(0)} around`, `${sign}{"v":1}${sign}`, undefined),
    text(`white space ${sign.charCodeAt(0)} inside`, `{"v":${sign}1}`, undefined),
    text(`white space ${sign.charCodeAt(0)} in a string`, `{"v":"${sign}"}`, { v: sign }),
  ]);
}

function depths() {
  return [1, 2, 100, DEPTH_MAX - 1, DEPTH_MAX, DEPTH_MAX + 1, 5_000, 100_000].flatMap((levels) => {
    const inner = levels - 1;
    const arrays = `{"v":${'['.repeat(inner)}${']'.repeat(inner)}}`;
    const objects = `${'{"v":'.repeat(inner)}{}${'}'.repeat(inner)}`;
    const mixed = `{"v":${'[{"v":'.repeat(inner >> 1)}0${'}]'.repeat(inner >> 1)}}`;
    const all = levels === 1 ? [objects] : [arrays, objects, mixed];
    return [
      ...all.map((json) =>
        text(`${levels} levels`, json, levels <= DEPTH_MAX ? JSON.parse(json) : undefined),
      ),
      text(`${levels} levels that are never closed`, `{"v":${'['.repeat(levels)}`, undefined),
      text(
        `${levels} levels closed by nobody's brackets`,
        `{"v":1${']'.repeat(levels)}${'}'.repeat(levels)}`,
        undefined,
      ),
      text(`${levels} brackets in a string`, `{"v":"${'[{'.repeat(levels)}"}`, {
        v: '[{'.repeat(levels),
      }),
    ];
  });
}

/** Names with a meaning in JavaScript, and names that appear twice. */
function names() {
  const special = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'toJSON',
    'then',
    '',
    ' ',
    '0',
    '-1',
    'length',
    '__defineGetter__',
  ];
  return [
    ...special.flatMap((name) => {
      const key = JSON.stringify(name);
      return [
        text(`the name ${key}`, `{${key}:{"a":1}}`, JSON.parse(`{${key}:{"a":1}}`)),
        text(`the name ${key} inside`, `{"v":{${key}:null}}`, JSON.parse(`{"v":{${key}:null}}`)),
        text(`the name ${key} twice`, `{${key}:1,${key}:2}`, JSON.parse(`{${key}:2}`)),
      ];
    }),
    text('a name twice, escaped once', '{"a":1,"\\u0061":2}', { a: 2 }),
    text('names in two cases', '{"a":1,"A":2}', { a: 1, A: 2 }),
    text('names in two normal forms', '{"é":1,"e\u0301":2}', { é: 1, 'e\u0301': 2 }),
  ];
}

function structures() {
  const bad = [
    ...['', ' ', '{', '}', '{}{}', '{} {}', '{},', '{}]', '[]', '[{}]', '""', '"{}"'],
    ...['0', 'null', 'true', 'false', '{,}', '{"a"}', '{"a":}', '{"a":1,}', '{,"a":1}'],
    ...['{"a":1,,"b":2}', '{"a" 1}', '{"a"::1}', '{"a":1 "b":2}', '{"a":1;"b":2}'],
    ...['{a:1}', "{'a':1}", '{"a":\'1\'}', '{"a":True}', '{"a":TRUE}', '{"a":tru}'],
    ...['{"a":truee}', '{"a":nul}', '{"a":None}', '{"a":undefined}', '{"a":[1,]}'],
    ...['{"a":[,1]}', '{"a":[1 2]}', '{"a":[1}', '{"a":(1)}', '{1:1}', '{null:1}'],
    ...['{"a":1}//', '{"a":1}/**/', '/**/{"a":1}', '{"a":/**/1}', '{"a":1}#', '{"a":"b}'],
    ...['{"a":b"}', '{"a":"b\\"}', '{"a":`b`}', '{"a":1}\0', '{"a":1}\x1a', '{"a":...}'],
    ...['{...{}}', '{["a"]:1}', '{"a":function(){}}', '{"a":new Date()}', '<a/>', 'a=1'],
    ...['---\na: 1', '{"a":1}\n{"b":2}\n', ')]}\',\n{"a":1}', 'callback({"a":1})'],
    ...['{"a":@}', '{"a":\u00ab}'],
  ];
  const good = [
    '{}',
    '{"a":true,"b":false,"c":null}',
    '{"a":[]}',
    '{"a":{}}',
    '{"a":[[],{},"",0]}',
    ' \t\r\n{ "a" : [ 1 , 2 ] } ',
  ];
  return [
    ...bad.map((json) => text(`the text ${json}`, json, undefined)),
    ...good.map((json) => text(`the text ${json}`, json, JSON.parse(json))),
  ];
}

/** `c2 80, df bf` */
function bytesIn(row: string) {
  return row.split(', ').map((bytes) => bytes.split(' ').map((hex) => Number.parseInt(hex, 16)));
}

function text(what: string, json: string, wanted: Text['wanted']): Text {
  return { what, bytes: Buffer.from(json), wanted };
}

function parts(what: string, pieces: (string | Buffer)[], wanted: Text['wanted']): Text {
  return { what, bytes: Buffer.concat(pieces.map((piece) => Buffer.from(piece))), wanted };
}
