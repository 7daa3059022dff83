/** The description of this API, made from its own table of routes. */
import { openApiDocument } from "../../host/api/openapi.ts";
import { route, type Route } from "../../host/api/route.ts";

/** @param all The table it will be part of; asked when the document is. */
export function openApiRoute(all: () => readonly Route[]): Route {
  const make = (): unknown => openApiDocument(all()); // one function: it is what `once` knows it by
  return route({
    id: "getOpenApi",
    method: "GET",
    path: "/openapi.json",
    scope: "read",
    summary: "This document",
    handle: ({ services }) => ({ body: services.once(make) }),
  });
}
