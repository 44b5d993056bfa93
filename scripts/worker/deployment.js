// Reads from wrangler.toml what is deployed, for everything that runs or packs the Worker, so that what
// is tested can't drift from what is deployed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { root } from '../root.js';

/**
 * @typedef {object} Deployment
 * @property {string} name
 * @property {string} entry Path of the entry, relative to the root.
 * @property {string} folder The folder of the entry, relative to the root.
 * @property {boolean} noBundle
 * @property {readonly string[]} modules Paths of the modules other than the entry, relative to the root.
 * @property {string} compatibilityDate
 * @property {Record<string, string>} durableObjects Class names by binding.
 * @property {Record<string, string>} vars
 */

/** @returns {Deployment} */
export function readDeployment() {
  /** @type {any} */
  const config = parse(readFileSync(join(root, 'wrangler.toml'), 'utf8'));
  const folder = config.main.split('/').slice(0, -1).join('/');
  const classes = new Set(
    config.migrations.flatMap((/** @type {any} */ step) => step.new_sqlite_classes ?? []),
  );
  const bindings = config.durable_objects.bindings;
  for (const { class_name: name } of bindings) {
    if (!classes.has(name))
      throw new Error(
        `wrangler.toml binds the class ${name} without a migration; add it to new_sqlite_classes`,
      );
  }
  return {
    name: config.name,
    entry: config.main,
    folder,
    noBundle: config.no_bundle === true,
    modules: config.rules.flatMap((/** @type {any} */ { type, globs }) =>
      type === 'ESModule' ? globs.map((/** @type {string} */ name) => `${folder}/${name}`) : [],
    ),
    compatibilityDate: config.compatibility_date,
    durableObjects: Object.fromEntries(
      bindings.map((/** @type {any} */ binding) => [binding.name, binding.class_name]),
    ),
    vars: config.vars ?? {},
  };
}

/**
 * Options that make Miniflare run the deployment with its state in a folder.
 * `settings`: vars and secrets over those of wrangler.toml.
 *
 * @param {{ folder: string, settings?: Record<string, string> }} options
 * @returns {import('miniflare').WorkerOptions & { durableObjectsPersist: string }}
 */
export function miniflareOptions({ folder, settings = {} }) {
  const deployment = readDeployment();
  const { name, entry, modules, compatibilityDate, durableObjects, vars } = deployment;
  return {
    name,
    compatibilityDate,
    modulesRoot: join(root, deployment.folder),
    modules: [entry, ...modules].map((path) => ({
      type: /** @type {const} */ ('ESModule'),
      path: join(root, path),
    })),
    durableObjects: Object.fromEntries(
      Object.entries(durableObjects).map(([binding, className]) => [
        binding,
        { className, useSQLite: true },
      ]),
    ),
    durableObjectsPersist: folder,
    bindings: { ...vars, ...settings },
  };
}
