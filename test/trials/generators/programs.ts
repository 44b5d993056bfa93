// The generators of the trial `generators`: which versions, and how they are fetched.

import { join } from 'node:path';
import { root } from '../../../scripts/setup.js';
import { have, mavenCopy, pythonEnvironment } from '../providers/program.js';
import type { Command } from './client-run.js';

/** The folder of fetched generators and compiled files, kept from run to run. */
export const CACHE = join(root, 'data/generators');

export const VERSIONS = {
  openapiGenerator: '7.25.0',
  oapiCodegen: '2.8.2',
  openapiPythonClient: '0.29.1',
  progenitor: '0.15.1',
  heyApi: '0.90.10',
  orval: '7.13.0',
  openapiTypescript: '7.13.0',
  openapiFetch: '0.17.0',
  typescript: '5.9.3',
  spectral: '6.16.3',
  /** Has Newtonsoft.Json 10.0.3 in it, which the C# client needs; Debian's is older than that. */
  newtonsoft: '2.3.102',
} as const;

const jar = join(CACHE, `openapi-generator-cli-${VERSIONS.openapiGenerator}.jar`);
export const npm = join(CACHE, 'npm');
export const npmProgram = (name: string) => join(npm, 'node_modules/.bin', name);
export const python = join(CACHE, 'python');

export const haveJar = () =>
  have(
    jar,
    mavenCopy(`org.openapitools:openapi-generator-cli:${VERSIONS.openapiGenerator}:jar`, CACHE),
  );

export const haveNpm = () =>
  have(join(npm, 'node_modules/.bin/tsc'), [
    'npm',
    ...['install', '--prefix', npm, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'],
    `@hey-api/openapi-ts@${VERSIONS.heyApi}`,
    `orval@${VERSIONS.orval}`,
    `openapi-typescript@${VERSIONS.openapiTypescript}`,
    `openapi-fetch@${VERSIONS.openapiFetch}`,
    `typescript@${VERSIONS.typescript}`,
    `@stoplight/spectral-cli@${VERSIONS.spectral}`,
  ]);

export const havePython = () =>
  have(
    join(python, 'bin/openapi-python-client'),
    ...pythonEnvironment(
      python,
      `openapi-python-client==${VERSIONS.openapiPythonClient}`,
      ...['urllib3', 'python-dateutil', 'pydantic', 'typing-extensions'],
    ),
  );

export function byJar(generator: string, ...options: string[]): Command {
  return ['java', '-jar', jar, 'generate', '-i', 'openapi.json', '-g', generator, ...options];
}

const autorest = join(CACHE, `microsoft.azure-autorest.csharp-${VERSIONS.newtonsoft}.tgz`);
export const newtonsoft = join(CACHE, 'newtonsoft/Newtonsoft.Json.dll');

export const haveNewtonsoft = () =>
  have(
    newtonsoft,
    ['npm', 'pack', '--silent', `@microsoft.azure/autorest.csharp@${VERSIONS.newtonsoft}`].concat([
      '--pack-destination',
      CACHE,
    ]),
    ['tar', '-xzf', autorest, '--strip-components=4', '--wildcards', '*/Newtonsoft.Json.dll'],
  );
