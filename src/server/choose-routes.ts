import { documentRoutes } from "./document-routes.ts";
import type { HandlerOptions, Login, ServiceLimits } from "./handler-options.ts";
import { createJobRoutes } from "./jobs/job-routes.ts";
import { createTusRoutes } from "./jobs/tus-routes.ts";
import { createOpenApiRoute } from "./openapi.ts";
import { createOpenAiRoutes } from "./openai-routes.ts";
import { createOpenAiShelf } from "./openai-shelf.ts";
import { createOpenAiStoreRoutes } from "./openai-store-routes.ts";
import { createKeepingRoutes, createManualRoute, keepingFiles } from "./keeping-routes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import { noteRoutes } from "./note-routes.ts";
import { createPlaceRoutes } from "./place-routes.ts";
import { createRecordRoutes } from "./record-routes.ts";
import type { ServiceParts } from "./follow-purges.ts";
import { pageRoutes, signInPage, wantsPage } from "./page/page-routes.ts";
import { createProbeRoutes } from "./probe-routes.ts";
import { createStreamRoutes } from "./stream-routes.ts";
import { createQuestionRoutes } from "./question-routes.ts";
import type { Route } from "./route.ts";
import { createResourceMetadataRoute } from "./resource-metadata.ts";
import { createMcpRoute, createMetricsRoute, healthRoute, statusRoute } from "./service-routes.ts";

/** The routes of a service by its options, in the order of the OpenAPI document. `operating`: those that operators alone have. */
export function chooseRoutes(
  options: HandlerOptions,
  hasKeys: boolean,
  limits: Required<ServiceLimits>,
  { originals, threads, jobs, streams }: ServiceParts,
  operating: readonly Route[],
): readonly Route[] {
  const { login, manual, mcp = true, metrics, only, page = true, files, readiness = () => "ready" } = options;
  const { keepOriginals = true } = options;
  const shelf = files === undefined ? undefined : createOpenAiShelf(files, limits.jobBytes);
  const routes: Route[] = [...createProbeRoutes(readiness)];
  if (metrics !== undefined) routes.push(createMetricsRoute(metrics));
  if (only !== "mcp") {
    const keeps = files !== undefined && keepOriginals;
    const { maxUploadBytes } = limits;
    const facts = {
      needsKey: hasKeys,
      login: login !== undefined,
      originals: keeps || options.readSource !== undefined,
      maxUploadBytes,
      manual: manual !== undefined,
    };
    routes.push(
      ...createQuestionRoutes(streams),
      ...createStreamRoutes(streams),
      ...(keeps ? keepingFiles(documentRoutes, originals) : documentRoutes),
      ...createRecordRoutes(options.entities ?? {}),
      ...createOpenAiRoutes(shelf, streams, page),
      ...createOpenAiStoreRoutes({ shelf, jobs }),
      ...createPlaceRoutes(originals),
      ...noteRoutes,
    );
    if (jobs !== undefined) routes.push(...createJobRoutes(jobs, limits), ...createTusRoutes(jobs, limits));
    routes.push(
      ...createKeepingRoutes(threads, facts),
      ...(manual === undefined ? [] : [createManualRoute(manual)]),
      statusRoute,
      healthRoute,
      ...operatorRoutes,
      ...operating,
      ...(page ? pagesWith(login) : []),
    );
  }
  if (login !== undefined && only !== "mcp") routes.push(...login.routes);
  if (mcp !== false) {
    routes.push(createMcpRoute(mcp === true ? {} : mcp, page && only !== "mcp", options.entities));
    if (options.authorizationServers !== undefined)
      routes.push(createResourceMetadataRoute(options.authorizationServers));
  }
  routes.push(
    createOpenApiRoute(() => routes.filter(({ absent }) => absent === undefined), { hasKeys, cookie: login?.cookie }),
  );
  return routes;
}

/** The page, whose screens send people to the login who have not signed in, and get them back from there. */
function pagesWith(login: Login | undefined): readonly Route[] {
  if (login === undefined) return pageRoutes;
  return pageRoutes.map((route) =>
    route.path.includes(".")
      ? route
      : {
          ...route,
          async handle(call) {
            const isShown = wantsPage(call.request) || route.path === "/";
            if (!isShown || (await login.authenticate(call.request, {})) !== undefined) return route.handle(call);
            const to = route.path + new URL(call.request.url).search;
            return signInPage(call.home, `${login.path}?${new URLSearchParams({ to }).toString()}`);
          },
        },
  );
}
