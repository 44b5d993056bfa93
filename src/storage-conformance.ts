// The package's entry for authors of another storage: checks of what the two ports promise, which any test
// framework can run.

export type { StorageHome } from './storage/conformance/check.js';
export {
  type Check,
  type StorageCheckOptions,
  storageConformance,
} from './storage/conformance/storage-checks.js';
