// Clients that other projects' generators make: how each is generated, compiled and run.

import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';
import { CACHE, have, mavenCopy, pythonEnvironment } from '../program.js';

const OPENAPI_GENERATOR = '7.25.0';
const OPENAPI_PYTHON_CLIENT = '0.29.1';
const OAPI_CODEGEN = '2.8.2';

const bin = (name: string) => join(CACHE, 'node_modules/.bin', name);
const jar = join(CACHE, `openapi-generator-cli-${OPENAPI_GENERATOR}.jar`);
const python = join(CACHE, 'openapi-python-client');
const oapiCodegen = join(CACHE, 'bin/oapi-codegen');

export type Command = readonly string[];

/** Paths are absolute, or in the client's folder, which has the document as `openapi.json`. */
export interface GeneratedClient {
  readonly document: '3.1' | '3.0';
  /** Fetches a generator that npm does not have. */
  readonly fetch?: () => Promise<void>;
  /** Files and folders beside this one that the client's folder needs, with their names there. */
  readonly driver: Readonly<Record<string, string>>;
  readonly generate: Command;
  readonly compile: readonly Command[];
  readonly run: Command;
  readonly environment?: Readonly<Record<string, string>>;
}

export const CLIENTS: Readonly<Record<string, GeneratedClient>> = {
  'openapi-typescript': {
    document: '3.1',
    driver: {
      'typescript/shop.ts': 'shop.ts',
      'typescript/tsconfig.json': 'tsconfig.json',
      'typescript/openapi-fetch.ts': 'main.ts',
    },
    generate: [bin('openapi-typescript'), 'openapi.json', '-o', 'generated/api.ts'],
    compile: [
      [bin('tsc'), '--project', 'tsconfig.json'],
      [
        join(root, 'node_modules/.bin/esbuild'),
        ...['main.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=built/main.js'],
      ],
    ],
    run: ['node', 'built/main.js'],
  },
  'openapi-python-client': {
    document: '3.1',
    fetch: () =>
      have(
        join(python, 'bin/openapi-python-client'),
        ...pythonEnvironment(python, `openapi-python-client==${OPENAPI_PYTHON_CLIENT}`),
      ),
    driver: { 'python/shop.py': 'shop.py', 'python/openapi_python_client.py': 'main.py' },
    generate: [
      join(python, 'bin/openapi-python-client'),
      ...['generate', '--path', 'openapi.json', '--output-path', 'generated', '--overwrite'],
    ],
    compile: [],
    run: [join(python, 'bin/python'), 'main.py'],
    environment: { PYTHONPATH: 'generated' },
  },
  go: {
    document: '3.0',
    fetch: () =>
      have(oapiCodegen, [
        ...['env', `GOBIN=${join(CACHE, 'bin')}`, 'go', 'install', '-p', '1'],
        `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${OAPI_CODEGEN}`,
      ]),
    driver: { 'go/main.go': 'main.go', 'go/go.mod': 'go.mod' },
    generate: [
      oapiCodegen,
      ...['-generate', 'types,client', '-package', 'client', '-o', 'client/client.gen.go'],
      'openapi.json',
    ],
    compile: [
      ['go', 'mod', 'tidy'],
      ['go', 'build', '-p', '1', '-o', 'shop', '.'],
    ],
    run: ['./shop'],
  },
  kotlin: {
    document: '3.1',
    fetch: () =>
      have(
        jar,
        mavenCopy(`org.openapitools:openapi-generator-cli:${OPENAPI_GENERATOR}:jar`, CACHE),
      ),
    driver: { 'kotlin/pom.xml': 'pom.xml', 'kotlin/Shop.kt': 'generated/src/main/kotlin/Shop.kt' },
    generate: [
      'java',
      '-jar',
      jar,
      'generate',
      '-i',
      'openapi.json',
      '-g',
      'kotlin',
      '-o',
      'generated',
    ],
    compile: [['mvn', '-q', '-B', 'compile', 'dependency:copy-dependencies']],
    run: ['java', '-cp', 'target/classes:target/dependency/*', 'ShopKt'],
  },
};
