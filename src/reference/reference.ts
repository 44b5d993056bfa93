// The script of the API reference page: Swagger UI on the API's document, signed
// in as the account that owns the sample shop. Runs in the browser.

interface SwaggerUI {
  preauthorizeApiKey(scheme: string, token: string): void;
}

declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => SwaggerUI;

const SAMPLE_TOKEN = 'local-preview';

/** No browser may send the admin key: its header is not among those that the preflight allows. */
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
