// Where Workers keep the objects. Cloudflare's own words:
// https://developers.cloudflare.com/durable-objects/reference/data-location/

import { type Environment, type Parser, quoted, read, SettingError } from './setting-values.js';

const JURISDICTIONS = ['eu', 'fedramp'] as const;
const LOCATIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const;

export interface ObjectPlace {
  /** The objects never leave it. Part of each object's id: another one finds other objects. */
  readonly jurisdiction: (typeof JURISDICTIONS)[number] | undefined;
  /** Where a new object is made, as near as the platform can. */
  readonly location: (typeof LOCATIONS)[number] | undefined;
}

/** Throws a `SettingError` for the first setting that cannot be used. */
export function readObjectPlace(environment: Environment): ObjectPlace {
  return Object.freeze({
    jurisdiction: read(environment, 'OBJECTS_JURISDICTION', oneOf(JURISDICTIONS), undefined),
    location: read(environment, 'OBJECTS_LOCATION', oneOf(LOCATIONS), undefined),
  });
}

function oneOf<T extends string>(words: readonly T[]): Parser<T> {
  return (name, text) => {
    const found = words.find((word) => word === text);
    if (found !== undefined) return found;
    throw new SettingError(name, quoted(text), `one of ${words.join(', ')}`);
  };
}
