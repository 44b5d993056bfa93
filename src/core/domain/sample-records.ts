// The rows that a new, empty database receives: a salon and tailoring shop in
// Dar es Salaam, owned by the reserved subject, invisible to everyone else.

import type { CollectionName } from './collection-name.js';
import type { JsonObject } from './json.js';

export const SAMPLE_OWNER = 'local-preview';

interface Sample {
  readonly collection: CollectionName;
  readonly body: JsonObject;
}

function samples(collection: CollectionName, ...bodies: JsonObject[]): Sample[] {
  return bodies.map((body) => ({ collection, body }));
}

/** In order of creation; they take the first ids of each collection. */
export const SAMPLE_RECORDS: readonly Sample[] = [
  ...samples('businesses', {
    businessName: 'Mwangaza Salon & Tailoring',
    phone: '+255 754 210 334',
    primaryTemplate: 'salon',
    templateVersion: 1,
    createdAt: '2026-01-05T06:30:00Z',
    location: 'Sinza, Dar es Salaam',
  }),
  ...samples(
    'customers',
    {
      name: 'Neema Mushi',
      phone: '+255 713 445 210',
      email: 'neema.mushi@example.com',
      location: 'Mikocheni',
    },
    { name: 'Juma Ally', phone: '+255 784 902 118', location: 'Kariakoo' },
    { name: 'Rehema Mwakyusa', phone: '+255 655 318 870', location: 'Mbezi Beach' },
    { name: 'Baraka Kileo', phone: '+255 762 557 043', location: 'Ubungo' },
  ),
  ...samples(
    'services',
    { name: 'Box braids', price: 45000, category: 'Hair', duration: '4 h' },
    { name: 'Wash and blow-dry', price: 15000, category: 'Hair', duration: '45 min' },
    {
      name: 'Kitenge dress, made to measure',
      price: 85000,
      category: 'Tailoring',
      duration: '5 days',
    },
    { name: 'Trouser hem', price: 5000, category: 'Tailoring', duration: '1 day' },
    { name: 'Bridal make-up', price: 120000, category: 'Beauty', duration: '2 h', active: false },
  ),
  ...samples(
    'team',
    { name: 'Asha Komba', phone: '+255 719 630 021', role: 'Stylist' },
    { name: 'Hamisi Ngowi', phone: '+255 746 118 905', role: 'Tailor' },
  ),
  ...samples(
    'orders',
    {
      customer: 'Neema Mushi',
      service: 'Box braids',
      amount: 45000,
      paid: 45000,
      status: 'Ready',
      method: 'M-Pesa',
      phone: '+255 713 445 210',
      date: '2026-01-12T08:00:00Z',
      assignee: 'Asha Komba',
    },
    {
      customer: 'Rehema Mwakyusa',
      service: 'Kitenge dress, made to measure',
      amount: 85000,
      paid: 40000,
      status: 'In progress',
      method: 'Cash',
      phone: '+255 655 318 870',
      date: '2026-01-13T11:30:00Z',
      assignee: 'Hamisi Ngowi',
      templateId: 'tailoring',
      customFields: { bust_cm: 92, waist_cm: 74, hips_cm: 101, fabric: 'kitenge, 4 yards' },
    },
    {
      customer: 'Juma Ally',
      service: 'Trouser hem',
      amount: 10000,
      phone: '+255 784 902 118',
      date: '2026-01-14T07:15:00Z',
      assignee: 'Hamisi Ngowi',
      customFields: { pieces: 2 },
    },
    {
      customer: 'Baraka Kileo',
      service: 'Wash and blow-dry',
      amount: 15000,
      paid: 20000,
      status: 'Ready',
      method: 'Airtel Money',
      date: '2026-01-14T13:45:00Z',
      assignee: 'Asha Komba',
    },
  ),
  ...samples(
    'expenses',
    {
      description: 'Hair extensions, 20 packs',
      category: 'Supplies',
      date: '2026-01-08',
      amount: 130000,
      method: 'M-Pesa',
    },
    {
      description: 'Electricity (LUKU tokens)',
      category: 'Utilities',
      date: '2026-01-10',
      amount: 50000,
      method: 'Tigo Pesa',
    },
    {
      description: 'Thread and zips',
      category: 'Supplies',
      date: '2026-01-11',
      amount: 18500,
      method: 'Cash',
    },
  ),
];

/** Number of rows that a new database receives. */
export const SAMPLE_COUNT = SAMPLE_RECORDS.length;
