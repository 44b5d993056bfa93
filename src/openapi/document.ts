// The OpenAPI document, made from the tables that the handler works by: routes,
// collections, error codes, limits. No fact of these tables is written here again.

import { COLLECTION_NAMES } from '../domain/collection-name.js';
import type { ErrorCode } from '../domain/errors.js';
import type { JsonObject } from '../domain/json.js';
import {
  JSON_DEPTH_MAX_LEVELS,
  RECORD_MAX_CHARACTERS,
  REQUEST_BODY_MAX_BYTES,
} from '../domain/limits.js';
import type { Action } from '../http/call.js';
import { METHODS, REQUEST_HEADERS } from '../http/cors.js';
import { STATUS_OF } from '../http/envelope.js';
import { ADMIN_PREFIX, API_PREFIX, isUnder } from '../http/path.js';
import { HEALTH_ROUTE, ROUTES, type Route } from '../http/routes.js';
import { ERRORS } from './errors.js';
import { capitalized, RECORD_NAMES } from './names.js';
import { type Operation, operationOf } from './operations.js';
import { HEADERS, PARAMETERS, type ParameterName, parameterRef } from './parameters.js';
import { refusalResponses, responsesOf } from './responses.js';
import { componentSchemas, schemaRef } from './schemas.js';

/** Later patch releases of OpenAPI 3.1 change words only, and some tools do not accept them. */
const OPENAPI_VERSION = '3.1.0';
/** "The description document carries version 0.1.0." */
const DOCUMENT_VERSION = '0.1.0';
/** The address at which `npm start` listens. */
const PREVIEW_ORIGIN = 'http://127.0.0.1:8080';

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
    openapi: OPENAPI_VERSION,
    info: {
      title: 'Service Management API',
      version: DOCUMENT_VERSION,
      summary: 'Customers, services, orders, team, expenses and payments of small businesses.',
      description: description(),
    },
    servers: [
      {
        url: `{origin}${API_PREFIX}`,
        description: 'Wherever the service runs; `npm start` runs the preview there',
        variables: {
          origin: { default: PREVIEW_ORIGIN, description: 'Scheme, host and port of the service' },
        },
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
            'An access token of the identity provider. The preview takes `local-preview`, which owns the sample shop, and `local-NAME` for any NAME.',
        },
        adminKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Admin-Key',
          description: "The operator's key: for servers, never for a browser.",
        },
      },
      parameters: { ...PARAMETERS },
      headers: { ...HEADERS },
      responses: refusalResponses(),
      schemas: componentSchemas(),
    },
  };
}

function pathItem(route: Route): JsonObject {
  const parameters = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) =>
    parameterRef(name as ParameterName),
  );
  const operations = Object.entries(route.actions).map(([method, action]) => [
    method.toLowerCase(),
    operationObject(route, action),
  ]);
  return {
    parameters: [...parameters, parameterRef('request_id')],
    ...Object.fromEntries(operations),
  };
}

function operationObject(route: Route, action: Action): JsonObject {
  const operation = operationOf(action, route.collection);
  const gate = gateOf(route);
  const isAdmin = gate === ADMIN_KEY;
  const { summary, description, query = [], body } = operation;
  return {
    operationId: isAdmin ? `admin${capitalized(operation.id)}` : operation.id,
    tags: [tagOf(route, isAdmin)],
    summary: isAdmin && route.collection !== undefined ? `${summary}, for an account` : summary,
    ...(description !== undefined && { description }),
    security: gate.security,
    ...(query.length > 0 && { parameters: query.map(parameterRef) }),
    ...(body && { requestBody: requestBody(body) }),
    responses: responsesOf(operation, gate.refusals),
  };
}

function requestBody({ schema, example }: NonNullable<Operation['body']>): JsonObject {
  return {
    required: true,
    description: `One JSON object of at most ${REQUEST_BODY_MAX_BYTES} bytes, nested at most ${JSON_DEPTH_MAX_LEVELS} levels deep`,
    content: { 'application/json': { schema: schemaRef(schema), example } },
  };
}

/** The credential that `src/http/pipeline.ts` asks for on this route. */
function gateOf(route: Route): Gate {
  if (route === HEALTH_ROUTE) return OPEN;
  return isUnder(ADMIN_PREFIX, route.path) ? ADMIN_KEY : BEARER;
}

/** `/api/v1/customers/:id` → `/customers/{id}`. */
function pathOf({ path }: Route): string {
  return path.slice(API_PREFIX.length).replace(/:(\w+)/g, '{$1}');
}

function tagOf(route: Route, isAdmin: boolean): string {
  if (isAdmin) return route.collection === undefined ? 'Administration' : "An account's records";
  return route.collection ?? pathOf(route).slice(1);
}

function tags(): JsonObject[] {
  return [
    ...COLLECTION_NAMES.map((name) => ({
      name,
      description: `The account's ${RECORD_NAMES[name].plural}.`,
    })),
    { name: 'payments', description: "What is paid and due of the account's orders." },
    { name: 'health', description: 'Liveness, without a token.' },
    { name: 'Administration', description: "The operator's views across accounts." },
    {
      name: "An account's records",
      description:
        'The operator works on the records of any account, by the same rules; every change leaves an event in the audit log.',
    },
  ];
}

function description(): string {
  const errors = Object.entries(ERRORS).map(
    ([code, { meaning }]) => `| ${STATUS_OF[code as ErrorCode]} | \`${code}\` | ${meaning} |`,
  );
  return `Records are JSON objects, open to any property, and every account sees only its own. Lists are newest first.

Every answer is \`{ "data", "meta" }\`, or \`{ "error", "meta" }\` where it is refused. Decide on \`error.code\`:

| Status | Code | Meaning |
|---|---|---|
${errors.join('\n')}

A path that is not listed here is 404 \`NOT_FOUND\`, and another method on a path that is, HEAD included, is 405 \`METHOD_NOT_ALLOWED\` with the header \`Allow\`; both only after the token or the key was found good.

\`OPTIONS\` on any path is the preflight of CORS: 204 without a body, with \`Access-Control-Allow-Methods\` (${METHODS}) and \`Access-Control-Allow-Headers\` (${REQUEST_HEADERS}). The header of the admin key is not among them: the administration API is for servers.

A property whose schema names no type is kept as it was written and never checked. The others hold for every record that was written through this API; a row that another program put into the file may break them until a PATCH mends it. A PATCH may grow a record to ${RECORD_MAX_CHARACTERS} characters of JSON. Rate limits are a matter of the proxy in front.`;
}
