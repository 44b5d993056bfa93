// The OpenAPI document, generated from the tables that the handler uses: routes,
// collections, error codes, limits. None of their facts is repeated here.

import { COLLECTION_NAMES } from '../../core/domain/collection-name.js';
import { COLLECTIONS } from '../../core/domain/collections.js';
import type { ErrorCode } from '../../core/domain/errors.js';
import type { JsonObject } from '../../core/domain/json.js';
import { JSON_DEPTH_MAX_LEVELS, REQUEST_BODY_MAX_BYTES } from '../../core/domain/limits.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from '../../core/http/path.js';
import { type Action, HEALTH_ROUTE, ROUTES, type Route } from '../../core/http/routes.js';
import { operationOf } from './operations.js';
import { componentParameters, parameterRef, pathParameters } from './parameters.js';
import { capitalized } from './record-schemas.js';
import { refusalResponses, responsesOf } from './responses.js';
import { componentSchemas, schemaRef } from './schemas.js';

/** As the package names it. The package names no contact, so the document has none. */
const LICENSE = 'UNLICENSED';
/** Short, because generators copy it into every file. */
const DESCRIPTION =
  'Records are JSON objects, open to any property, and every account sees only its own; each answer is `{ data, meta }` or `{ error, meta }`. The page `src/core/http/README.md` of the package has error codes, lists, limits and CORS.';

const ADMIN_VIEWS = 'Admin views';
const ADMIN_RECORDS = 'Admin records';

interface Gate {
  readonly security: JsonObject[];
  readonly refusals: readonly ErrorCode[];
}

const OPEN: Gate = { security: [], refusals: [] };
const BEARER: Gate = {
  security: [{ bearer: [] }],
  refusals: ['UNAUTHORIZED', 'AUTH_UNAVAILABLE'],
};
const ADMIN_KEY: Gate = {
  security: [{ adminKey: [] }],
  refusals: ['UNAUTHORIZED', 'ADMIN_DISABLED'],
};

export function openApiDocument(): JsonObject {
  return {
    // Later patch releases change only wording, and some tools don't accept them.
    openapi: '3.1.0',
    info: {
      title: 'Service Management API',
      // "The description document carries version 0.1.0."
      version: '0.1.0',
      summary: 'Customers, services, orders, team, expenses and payments of small businesses.',
      description: DESCRIPTION,
      // The licence isn't on SPDX's list: generators of 3.1 want this form for those.
      license: { name: LICENSE, identifier: `LicenseRef-${LICENSE}` },
    },
    servers: [
      {
        url: `http://127.0.0.1:8080${API_PREFIX}`,
        description: `The preview, as \`npm start\` runs it; elsewhere, the service's address and ${API_PREFIX}`,
      },
    ],
    tags: tags(),
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
      responses: refusalResponses(),
      schemas: componentSchemas(),
    },
  };
}

function pathItem(route: Route): JsonObject {
  const parameters = pathParameters(route.path, route.collection);
  const operations = Object.entries(route.actions).map(([method, action]) => [
    method.toLowerCase(),
    operationObject(route, action),
  ]);
  return { ...(parameters.length > 0 && { parameters }), ...Object.fromEntries(operations) };
}

function operationObject(route: Route, action: Action): JsonObject {
  const operation = operationOf(route, action);
  const gate = gateOf(route);
  const isAdmin = gate === ADMIN_KEY;
  const { id, summary, description, query = [], body } = operation;
  return {
    operationId: isAdmin ? `admin${capitalized(id)}` : id,
    tags: [tagOf(route, isAdmin)],
    summary: isAdmin && route.collection !== undefined ? `${summary}, for an account` : summary,
    ...(description !== undefined && { description }),
    security: gate.security,
    ...(query.length > 0 && { parameters: query.map(parameterRef) }),
    ...(body && {
      requestBody: {
        required: true,
        description: `One JSON object of at most ${REQUEST_BODY_MAX_BYTES} bytes, nested at most ${JSON_DEPTH_MAX_LEVELS} levels deep`,
        content: {
          'application/json': { schema: schemaRef(body.schema), example: body.example },
        },
      },
    }),
    responses: responsesOf(operation, refusalsOf(route, gate)),
  };
}

/** The credential that `src/core/http/pipeline.ts` asks for on this route. */
function gateOf(route: Route): Gate {
  if (route === HEALTH_ROUTE) return OPEN;
  return isUnder(ADMIN_PREFIX, route.path) ? ADMIN_KEY : BEARER;
}

/** A path with a parameter may match nothing: `.`, `..` and control characters are 404 everywhere. */
function refusalsOf({ path }: Route, { refusals }: Gate): readonly ErrorCode[] {
  return path.includes('/:') ? [...refusals, 'NOT_FOUND'] : refusals;
}

/** `/api/v1/customers/:id` → `/customers/{id}`. */
function pathOf({ path }: Route): string {
  return path.slice(API_PREFIX.length).replace(/:(\w+)/g, '{$1}');
}

function tagOf(route: Route, isAdmin: boolean): string {
  if (isAdmin) return route.collection === undefined ? ADMIN_VIEWS : ADMIN_RECORDS;
  return route.collection ?? pathOf(route).slice(1);
}

function tags(): JsonObject[] {
  return [
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
  ];
}
