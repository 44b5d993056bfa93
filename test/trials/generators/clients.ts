// The clients of the trial `generators`: how each is generated, compiled and run.

import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';
import { have } from '../providers/program.js';
import type { GeneratedClient } from './client-run.js';
import {
  byJar,
  CACHE,
  haveJar,
  haveNewtonsoft,
  haveNpm,
  havePython,
  newtonsoft,
  npm,
  npmProgram,
  python,
  VERSIONS,
} from './programs.js';

const openapiGenerator = {
  generator: 'openapi-generator',
  version: VERSIONS.openapiGenerator,
  document: '3.1',
  fetch: haveJar,
} as const;

function typescript(
  driver: string,
  client: Pick<GeneratedClient, 'generator' | 'version' | 'generate' | 'document'>,
  ...more: string[]
): GeneratedClient {
  const files = ['shop.ts', 'tsconfig.json', ...more];
  const strict = [npmProgram('tsc'), '--project', 'tsconfig.json'] as const;
  // As in an app: some generators write imports that only a bundler resolves.
  const bundled = [
    ...([join(root, 'node_modules/.bin/esbuild'), 'main.ts', '--bundle'] as const),
    ...['--platform=node', '--format=esm', '--log-level=error', '--outfile=built/main.js'],
  ] as const;
  return {
    language: 'TypeScript',
    fetch: haveNpm,
    driver: {
      ...Object.fromEntries(files.map((name) => [`typescript/${name}`, name])),
      [`typescript/${driver}.ts`]: 'main.ts',
    },
    generated: ['generated'],
    // The packages are found from the client's folder upward.
    compile: [['ln', '-sfn', join(npm, 'node_modules'), 'node_modules'], strict, bundled],
    run: ['node', 'built/main.js'],
    endings: ['.ts'],
    ...client,
  };
}

const rust = {
  language: 'Rust',
  environment: { CARGO_TARGET_DIR: join(CACHE, 'cargo-target') },
  compile: [['cargo', 'build', '-j1', '--quiet']],
  endings: ['.rs'],
} as const;

/** Those that npm alone serves. */
export const NPM_CLIENTS: Readonly<Record<string, GeneratedClient>> = {
  'openapi-typescript': typescript('openapi-fetch', {
    generator: `openapi-typescript with openapi-fetch ${VERSIONS.openapiFetch}`,
    version: VERSIONS.openapiTypescript,
    document: '3.1',
    generate: [[npmProgram('openapi-typescript'), 'openapi.json', '-o', 'generated/api.ts']],
  }),
  'hey-api': typescript('hey-api', {
    generator: '@hey-api/openapi-ts',
    version: VERSIONS.heyApi,
    document: '3.1',
    generate: [[npmProgram('openapi-ts'), '-i', 'openapi.json', '-o', 'generated']],
  }),
  orval: typescript(
    'orval',
    {
      generator: 'orval',
      version: VERSIONS.orval,
      document: '3.1',
      generate: [[npmProgram('orval'), '--config', 'orval.config.cjs']],
    },
    'fetcher.ts',
    'orval.config.cjs',
  ),
};

export const CLIENTS: Readonly<Record<string, GeneratedClient>> = {
  // Not the generator `dart`: it sends null for what a create or a change does not name.
  'dart-dio': {
    ...openapiGenerator,
    language: 'Dart',
    driver: {},
    generate: [
      byJar(
        'dart-dio',
        ...['-o', 'generated', '--additional-properties=serializationLibrary=json_serializable'],
      ),
    ],
    reading: {
      'generated/lib/src/model/business.dart': /final String ownerSub;/g,
      'generated/lib/src/model/order_changes.dart':
        /name: r'customFields',\s+required: false,\s+includeIfNull: false/g,
    },
    generated: ['generated/lib'],
    compile: undefined,
    run: ['true'],
    endings: ['.dart'],
  },
  kotlin: {
    ...openapiGenerator,
    language: 'Kotlin',
    driver: { 'kotlin/pom.xml': 'pom.xml', 'kotlin/Shop.kt': 'generated/src/main/kotlin/Shop.kt' },
    generate: [byJar('kotlin', '-o', 'generated')],
    generated: ['generated'],
    compile: [['mvn', '-q', '-B', 'compile', 'dependency:copy-dependencies']],
    run: ['java', '-cp', 'target/classes:target/dependency/*', 'ShopKt'],
    endings: ['.kt'],
  },
  java: {
    ...openapiGenerator,
    language: 'Java',
    driver: { 'java/Shop.java': 'generated/src/main/java/Shop.java' },
    generate: [
      byJar(
        'java',
        ...['-o', 'generated'],
        // Without it an answer with a property of tomorrow cannot be read.
        '--additional-properties=disallowAdditionalPropertiesIfNotPresent=false',
      ),
    ],
    generated: ['generated'],
    compile: [
      [
        ...(['mvn', '-q', '-B', '-f', 'generated/pom.xml'] as const),
        // The generated pom asks for Java 8; the driver is written in today's.
        ...['-Dmaven.compiler.source=17', '-Dmaven.compiler.target=17', '-Dmaven.test.skip'],
        ...['compile', 'dependency:copy-dependencies'],
      ],
    ],
    run: ['java', '-cp', 'generated/target/classes:generated/target/dependency/*', 'Shop'],
    endings: ['.java'],
  },
  swift: {
    ...openapiGenerator,
    language: 'Swift',
    driver: {},
    generate: [byJar('swift6', '-o', 'generated')],
    reading: {
      'generated/Sources/OpenAPIClient/Models/Business.swift': /public var ownerSub: String\n/g,
      'generated/Sources/OpenAPIClient/Infrastructure/Models.swift': /enum ErrorResponse\b/g,
      'generated/Sources/OpenAPIClient/Models/ErrorEnvelope.swift':
        /public struct ErrorEnvelope\b/g,
    },
    generated: ['generated/Sources'],
    compile: undefined,
    run: ['true'],
    endings: ['.swift'],
  },
  csharp: {
    ...openapiGenerator,
    language: 'C#',
    fetch: async () => {
      await haveJar();
      await haveNewtonsoft();
    },
    driver: { 'csharp/Shop.cs': 'Shop.cs' },
    generate: [
      byJar(
        'csharp',
        ...['-o', 'generated', '--library=httpclient', '--additional-properties'],
        'packageName=ShopApi,targetFramework=net48,supportsRetry=false,conditionalSerialization=true',
      ),
    ],
    generated: ['generated/src/ShopApi'],
    compile: [
      ['mkdir', '-p', 'built'],
      ['cp', newtonsoft, 'built'],
      [
        // Debian's mono-devel.
        ...(['mcs', '-langversion:latest', '-out:built/Shop.exe', `-r:${newtonsoft}`] as const),
        '-r:System.Net.Http.dll,System.ComponentModel.DataAnnotations.dll',
        '-r:System.Runtime.Serialization.dll,Facades/System.Runtime.dll',
        ...['-recurse:generated/src/ShopApi/*.cs', 'Shop.cs'],
      ],
    ],
    run: ['mono', 'built/Shop.exe'],
    endings: ['.cs'],
  },
  'openapi-python-client': {
    language: 'Python',
    generator: 'openapi-python-client',
    version: VERSIONS.openapiPythonClient,
    document: '3.1',
    fetch: havePython,
    driver: { 'python/shop.py': 'shop.py', 'python/openapi_python_client.py': 'main.py' },
    generate: [
      [
        join(python, 'bin/openapi-python-client'),
        ...['generate', '--path', 'openapi.json', '--output-path', 'generated', '--overwrite'],
      ],
    ],
    generated: ['generated'],
    compile: [],
    run: [join(python, 'bin/python'), 'main.py'],
    environment: { PYTHONPATH: 'generated' },
    endings: ['.py'],
  },
  python: {
    ...openapiGenerator,
    language: 'Python',
    fetch: async () => {
      await haveJar();
      await havePython();
    },
    driver: { 'python/shop.py': 'shop.py', 'python/openapi_generator.py': 'main.py' },
    generate: [byJar('python', '-o', 'generated')],
    generated: ['generated'],
    compile: [],
    run: [join(python, 'bin/python'), 'main.py'],
    environment: { PYTHONPATH: 'generated' },
    endings: ['.py'],
  },
  go: {
    language: 'Go',
    generator: 'oapi-codegen',
    version: VERSIONS.oapiCodegen,
    document: '3.0',
    fetch: () =>
      have(join(CACHE, 'bin/oapi-codegen'), [
        ...(['env', `GOBIN=${join(CACHE, 'bin')}`, 'go', 'install', '-p', '1'] as const),
        `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${VERSIONS.oapiCodegen}`,
      ]),
    driver: { 'go/main.go': 'main.go', 'go/go.mod': 'go.mod' },
    generate: [
      ['mkdir', '-p', 'client'],
      [
        join(CACHE, 'bin/oapi-codegen'),
        ...['-generate', 'types,client', '-package', 'client', '-o', 'client/client.gen.go'],
        'openapi.json',
      ],
    ],
    generated: ['client'],
    compile: [
      ['go', 'mod', 'tidy'],
      ['go', 'build', '-p', '1', '-o', 'shop', '.'],
    ],
    run: ['./shop'],
    endings: ['.go'],
  },
  progenitor: {
    ...rust,
    generator: 'progenitor',
    version: VERSIONS.progenitor,
    document: '3.0',
    fetch: () =>
      have(join(CACHE, 'bin/cargo-progenitor'), [
        ...(['cargo', 'install', '-j1', '--debug', '--locked', '--root', CACHE] as const),
        `cargo-progenitor@${VERSIONS.progenitor}`,
      ]),
    driver: { 'rust/progenitor': '.' },
    generate: [
      [
        join(CACHE, 'bin/cargo-progenitor'),
        ...['progenitor', '-i', 'openapi.json', '-o', 'generated', '-n', 'shop', '-v', '0.1.0'],
      ],
    ],
    generated: ['generated'],
    run: [join(rust.environment.CARGO_TARGET_DIR, 'debug/progenitor-shop')],
  },
  rust: {
    ...openapiGenerator,
    ...rust,
    driver: { 'rust/openapi-generator': '.' },
    generate: [byJar('rust', '-o', 'generated')],
    generated: ['generated'],
    run: [join(rust.environment.CARGO_TARGET_DIR, 'debug/openapi-generator-shop')],
  },
  ...NPM_CLIENTS,
  'typescript-fetch': typescript('typescript-fetch', {
    ...openapiGenerator,
    generate: [byJar('typescript-fetch', '-o', 'generated')],
  }),
};
