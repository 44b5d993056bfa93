// Generates the OpenAPI document from the tables that the handler uses: routes, collections, error
// codes, limits.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject } from '../../core/domain/json.js';
import { JSON_DEPTH_MAX_LEVELS, REQUEST_BODY_MAX_BYTES } from '../../core/domain/limits.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from '../../core/http/path.js';
import { HEALTH_ROUTE, ROUTES, type Route } from '../../core/http/routes.js';
import { componentResponses, errorResponses } from './error-responses.js';
import { EXAMPLE_RESPONSES, exampleBody } from './examples.js';
import {
  componentParameters,
  type Method,
  OTHER_OPERATIONS,
  parameterRef,
  pathParameters,
  recordOperations,
} from './operations.js';
import { componentSchemas, schemaRef } from './schemas.js';

const LICENSE = 'UNLICENSED';
/** Short, because generators copy it into every generated file. */
const DESCRIPTION =
  'Records are JSON objects, open to any property, and every account sees only its own; each response is `{ data, meta }` or `{ error, meta }`. The page `src/core/http/README.md` of the package has error codes, lists, limits and CORS.';

const OUTCOMES: Readonly<Record<Method, string>> = {
  GET: 'The current state',
  POST: 'Created',
  PATCH: 'The current state',
  DELETE: 'Deleted permanently',
};
/** Error codes of a method, and of the credential that `src/core/http/pipeline.ts` asks for. */
const CODES: Readonly<Record<Method | 'none' | 'bearer' | 'adminKey', readonly ErrorCode[]>> = {
  GET: [],
  // Even if no property is required, a record may be too large.
  POST: ['INVALID_JSON', 'VALIDATION_FAILED', 'QUOTA_EXCEEDED', 'STORAGE_FAILED'],
  PATCH: ['INVALID_JSON', 'VALIDATION_FAILED', 'QUOTA_EXCEEDED', 'STORAGE_FAILED'],
  DELETE: ['STORAGE_FAILED'],
  none: [],
  bearer: ['UNAUTHORIZED', 'AUTH_UNAVAILABLE'],
  adminKey: ['UNAUTHORIZED', 'ADMIN_DISABLED'],
};
const ADMIN_VIEWS = 'Admin views';
const ADMIN_RECORDS = 'Admin records';

export function openApiDocument(): JsonObject {
  return {
    // Later patch releases of OpenAPI only change wording, and some tools don't accept them.
    openapi: '3.1.0',
    info: {
      title: 'Service Management API',
      // "The description document carries version 0.1.0."
      version: '0.1.0',
      summary: 'Customers, services, orders, team, expenses and payments of small businesses.',
      description: DESCRIPTION,
      // The licence isn't on SPDX's list; generators for 3.1 then expect this form.
      license: { name: LICENSE, identifier: `LicenseRef-${LICENSE}` },
    },
    servers: [
      {
        url: `http://127.0.0.1:8080${API_PREFIX}`,
        description: `The preview, as \`npm start\` runs it; elsewhere, the service's address and ${API_PREFIX}`,
      },
    ],
    tags: [
      ...COLLECTION_NAMES.map((name) => ({
        name,
        description: `The account's ${COLLECTIONS[name].names.plural}.`,
      })),
      { name: 'payments', description: "What is paid and due of the account's orders." },
      { name: 'health', description: 'Liveness, without a token.' },
      { name: ADMIN_VIEWS, description: "The operator's views across accounts." },
      {
        name: ADMIN_RECORDS,
        description:
          'The operator works on the records of any account, by the same rules; every change adds an event to the audit log.',
      },
    ],
    paths: Object.fromEntries(ROUTES.map((route) => [pathOf(route), pathItem(route)])),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An access token of the identity provider. The preview accepts `local-preview`, which owns the sample shop, and `local-NAME` for any NAME.',
        },
        adminKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Admin-Key',
          description: "The operator's key: for servers, never for a browser.",
        },
      },
      parameters: componentParameters(),
      responses: componentResponses(),
      schemas: componentSchemas(),
    },
  };
}

function pathItem(route: Route): JsonObject {
  const parameters = pathParameters(route.path, route.collection);
  const methods = Object.keys(route.actions) as Method[];
  return {
    ...(parameters.length > 0 && { parameters }),
    ...Object.fromEntries(
      methods.map((name) => [name.toLowerCase(), operationObject(route, name)]),
    ),
  };
}

function operationObject(route: Route, method: Method): JsonObject {
  const { collection } = route;
  const path = pathOf(route);
  const isAdmin = isUnder(ADMIN_PREFIX, route.path);
  const operations = collection ? recordOperations(collection, isAdmin) : OTHER_OPERATIONS;
  const key = `${method} ${path.replace(new RegExp(`^.*/${collection}(?=/|$)`), '')}`;
  const operation = operations[key];
  if (operation === undefined) {
    throw new Error(`${method} ${path} has no description; add one to operations.ts`);
  }
  const { id, summary, description, query = [], body, response } = operation;
  const gate = route === HEALTH_ROUTE ? 'none' : isAdmin ? 'adminKey' : 'bearer';
  // `.`, `..` and control characters in place of a parameter are 404 on every route.
  const missing: ErrorCode[] = path.includes('{') ? ['NOT_FOUND'] : [];
  return {
    operationId: id,
    tags: [isAdmin ? (collection ? ADMIN_RECORDS : ADMIN_VIEWS) : (collection ?? path.slice(1))],
    summary,
    ...(description !== undefined && { description }),
    security: gate === 'none' ? [] : [{ [gate]: [] }],
    ...(query.length > 0 && { parameters: query.map(parameterRef) }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        description: `One JSON object of at most ${REQUEST_BODY_MAX_BYTES} bytes, nested at most ${JSON_DEPTH_MAX_LEVELS} levels deep`,
        content: {
          'application/json': {
            schema: schemaRef(body),
            example: exampleBody(method, collection),
          },
        },
      },
    }),
    responses: {
      [method === 'POST' ? 201 : 200]: {
        description: response.endsWith('List') ? 'The rows of one page' : OUTCOMES[method],
        content: {
          'application/json': {
            schema: schemaRef(response),
            example: EXAMPLE_RESPONSES.get(`${method} ${route.path}`) ?? {},
          },
        },
      },
      ...errorResponses([...CODES[gate], ...missing, ...CODES[method]]),
    },
  };
}

/** `/api/v1/customers/:id` → `/customers/{id}`. */
function pathOf({ path }: Route): string {
  return path.slice(API_PREFIX.length).replace(/:(\w+)/g, '{$1}');
}
