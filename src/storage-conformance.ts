// The package's entry for those who write a storage of their own: the promises of
// the two ports as checks, which any test framework can run.

export type { StorageHome } from './storage/conformance/check.js';
export {
  type Check,
  type StorageCheckOptions,
  storageConformance,
} from './storage/conformance/storage-checks.js';
