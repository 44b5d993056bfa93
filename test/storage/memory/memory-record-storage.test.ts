// The storage in memory: the ports' promises, except durability.

import { MemoryStorage } from '../../../src/storage/memory/memory-record-storage.js';
import { conformanceOf } from '../storage-conformance.js';

async function makeHome() {
  const storage = new MemoryStorage();
  return { open: async () => storage.open(), remove: async () => {} };
}

conformanceOf('memory', makeHome, { refusesEvents: false });
