// The records of a new database: a salon and tailoring shop in Dar es Salaam, owned by a reserved subject
// and invisible to other accounts. They are complete, so that storing them needs no rules of the collections.

import type { CollectionName } from './collection-name.js';
import type { JsonObject, JsonValue } from './json.js';

export const SAMPLE_OWNER = 'local-preview';

interface Sample {
  readonly collection: CollectionName;
  readonly id: string;
  readonly body: JsonObject;
}

/** Each row has the values of the first of these properties; those in `common` are the same in all rows. */
function samples(
  collection: CollectionName,
  idStart: string,
  names: string,
  common: JsonObject,
  rows: readonly JsonValue[][],
): Sample[] {
  const properties = names.split(' ');
  return rows.map((row, index) => {
    const own = row.map((value, at) => [`${properties[at]}`, value] as const);
    const body = { ...common, ...Object.fromEntries(own) };
    return { collection, id: `${idStart}${index + 1}`, body };
  });
}

const PRICED = { currency: 'TZS', active: true };
const PROFILE = 'businessName location phone primaryTemplate createdAt';
const ORDER = 'customer service amount paid status date method assignee customFields';

/** In order of creation, with the first ids of each collection. */
export const SAMPLE_RECORDS: readonly Sample[] = [
  ...samples('businesses', 'BIZ-000', PROFILE, { templateVersion: 1 }, [
    ['Mwangaza Salon & Tailoring', 'Sinza', '+255 754 210 334', 'salon', '2026-01-05T06:30:00Z'],
  ]),
  ...samples('customers', 'CUS-000', 'name phone location email', {}, [
    ['Neema Mushi', '+255 713 445 210', 'Mikocheni', 'neema.mushi@example.com'],
    ['Juma Ally', '+255 784 902 118', 'Kariakoo'],
    ['Rehema Mwakyusa', '+255 655 318 870', 'Mbezi Beach'],
    ['Baraka Kileo', '+255 762 557 043', 'Ubungo'],
  ]),
  ...samples('services', 'SRV-0', 'name price category duration active', PRICED, [
    ['Box braids', 45000, 'Hair', '4 h'],
    ['Wash and blow-dry', 15000, 'Hair', '45 min'],
    ['Kitenge dress, made to measure', 85000, 'Tailoring', '5 days'],
    ['Trouser hem', 5000, 'Tailoring', '1 day'],
    ['Bridal make-up', 120000, 'Beauty', '2 h', false],
  ]),
  ...samples('team', 'TM-000', 'name phone role', {}, [
    ['Asha Komba', '+255 719 630 021', 'Stylist'],
    ['Hamisi Ngowi', '+255 746 118 905', 'Tailor'],
  ]),
  ...samples('orders', 'ORD-000', ORDER, { currency: 'TZS' }, [
    ['Neema Mushi', 'Box braids', 45000, 45000, 'Ready', '2026-01-12T08:00:00Z', 'M-Pesa'],
    [
      'Rehema Mwakyusa',
      'Kitenge dress, made to measure',
      85000,
      40000,
      'In progress',
      '2026-01-13T11:30:00Z',
      'Cash',
      'Hamisi Ngowi',
      { bust_cm: 92, waist_cm: 74, hips_cm: 101, fabric: 'kitenge, 4 yards' },
    ],
    ['Juma Ally', 'Trouser hem', 10000, 0, 'New', '2026-01-14T07:15:00Z'],
    ['Baraka Kileo', 'Wash and blow-dry', 15000, 20000, 'Ready', '2026-01-14T13:45:00Z'],
  ]),
  ...samples('expenses', 'EXP-000', 'description category amount date method', {}, [
    ['Hair extensions, 20 packs', 'Supplies', 130000, '2026-01-08', 'M-Pesa'],
    ['Electricity (LUKU tokens)', 'Utilities', 50000, '2026-01-10', 'Tigo Pesa'],
    ['Thread and zips', 'Supplies', 18500, '2026-01-11', 'Cash'],
  ]),
];
