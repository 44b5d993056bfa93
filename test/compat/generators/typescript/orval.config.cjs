// How orval makes its client: one file for each tag, and a fetch function of our own.

module.exports = {
  shop: {
    input: 'openapi.json',
    output: {
      target: 'generated/shop.ts',
      schemas: 'generated/model',
      client: 'fetch',
      mode: 'tags',
      override: { mutator: { path: 'fetcher.ts', name: 'fetcher' } },
    },
  },
};
