/** The OpenAI-compatible API: `/v1/*`, for programs with a token of scope `chat`. */
import { chooseModel, modelIds, modelObject } from "./models.ts";
import { complete } from "./chat/chat.ts";
import { readerOf, tokenOf } from "./token.ts";
import { route, type Route } from "../../host/api/route.ts";
import {
  ChatBody,
  ChatCompletion,
  ModelList,
  ModelObject,
  ResponseBody,
  ResponseDeleted,
  ResponseObject,
  ResponseQuery,
} from "./schema.ts";
import { cancelResponse, deleteResponse, getResponse } from "./responses/lookup.ts";
import { respond } from "./responses/responses.ts";

/** When the models became available: clients only show it. */
const MODELS_CREATED = 1_767_225_600; // 2026-01-01

export const OPENAI_ROUTES: readonly Route[] = [
  route({
    id: "v1ListModels",
    method: "GET",
    path: "/!/v1/models",
    scope: "chat",
    summary: "The agent on its active model, and on each configured one.",
    response: ModelList,
    handle: (call) => {
      tokenOf(call);
      const ids = modelIds(call.services.app.inside.loaded().config, readerOf(call));
      return {
        body: { object: "list", data: ids.map((id) => modelObject(id, MODELS_CREATED)) },
        headers: { "x-request-id": call.requestId },
      };
    },
  }),
  // With the slashes of a model's name escaped, as official clients do, or written out.
  ...["{id}", "{agent}/{provider}/{model}", "{agent}/{provider}/{maker}/{model}"].map((template, index) =>
    route({
      id: ["v1GetModel", "v1GetModelByName", "v1GetModelByLongName"][index] ?? "",
      method: "GET",
      path: `/!/v1/models/${template}`,
      scope: "chat",
      summary: "One model.",
      response: ModelObject,
      errors: ["model.not-found"],
      handle: (call) => {
        tokenOf(call);
        const id = Object.values(call.params).join("/");
        const model = chooseModel(id, call.services.app.inside.loaded().config, readerOf(call));
        return { body: modelObject(model.id, MODELS_CREATED), headers: { "x-request-id": call.requestId } };
      },
    }),
  ),
  route({
    id: "v1CreateChatCompletion",
    method: "POST",
    path: "/!/v1/chat/completions",
    scope: "chat",
    summary: "One message to the agent and its answer, whole or as server-sent events.",
    body: ChatBody,
    response: ChatCompletion,
    errors: ["model.not-found", "queue.full", "budget.exhausted", "provider.failed", "provider.rate-limited"],
    timeoutMs: null,
    handle: complete,
  }),
  route({
    id: "v1CreateResponse",
    method: "POST",
    path: "/!/v1/responses",
    scope: "chat",
    summary: "The same as a response: whole, as a stream, or in the background.",
    body: ResponseBody,
    response: ResponseObject,
    errors: ["model.not-found", "queue.full", "budget.exhausted", "provider.failed", "provider.rate-limited"],
    timeoutMs: null,
    handle: respond,
  }),
  route({
    id: "v1GetResponse",
    method: "GET",
    path: "/!/v1/responses/{id}",
    scope: "chat",
    summary: "A response as it stands, also while it is made.",
    query: ResponseQuery,
    response: ResponseObject,
    errors: ["message.not-found"],
    handle: getResponse,
  }),
  route({
    id: "v1CancelResponse",
    method: "POST",
    path: "/!/v1/responses/{id}/cancel",
    scope: "chat",
    summary: "Stops what is made or waits; a finished response stays as it is.",
    response: ResponseObject,
    errors: ["message.not-found"],
    handle: cancelResponse,
  }),
  route({
    id: "v1DeleteResponse",
    method: "DELETE",
    path: "/!/v1/responses/{id}",
    scope: "chat",
    summary: "Forgets a response; what was said stays in its session.",
    response: ResponseDeleted,
    errors: ["message.not-found"],
    handle: deleteResponse,
  }),
];
