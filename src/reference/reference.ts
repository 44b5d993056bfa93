// The script of the API reference page, for the browser: Swagger UI on the OpenAPI
// document, signed in as the account that owns the sample shop.

interface SwaggerUI {
  preauthorizeApiKey(scheme: string, token: string): void;
}

declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => SwaggerUI;

const SAMPLE_TOKEN = 'local-preview';

/** No browser may send the admin key, because the preflight does not allow its header. */
const noAdministration = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: () => (_state: unknown, path: string) => !path.startsWith('/admin/'),
      },
    },
  },
});

const page = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  plugins: [noAdministration],
  tryItOutEnabled: true,
  // Otherwise it would ask a service on the internet what it thinks of the document.
  validatorUrl: null,
  onComplete: () => page.preauthorizeApiKey('bearer', SAMPLE_TOKEN),
});
