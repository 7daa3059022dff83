/** Prompts that a person keeps under a name, to be written by `/name`. */
import { COMMAND_NAMES } from "@margay/core/internal";
import type { z } from "zod";
import { Problem } from "../../host/api/problem.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import { told } from "../../host/api/words.ts";
import { announce } from "../../host/live/announce.ts";
import { OWNER } from "../../host/people.ts";
import { TEXT } from "./api-texts.ts";
import { MAX_PRESETS, PresetBody, PresetQuery, PresetsSchema } from "./schema.ts";
import { openPresets } from "./store.ts";

type AnyCall = Pick<Call<unknown, unknown>, "credential" | "services">;

export const PRESET_ROUTES: readonly Route[] = [
  route({
    id: "listPresets",
    method: "GET",
    path: "/presets",
    scope: "read",
    ofPersons: true,
    summary: "Prompts of yours that are kept under a name.",
    response: PresetsSchema,
    handle: (call) => ({ body: viewOf(call) }),
  }),
  route({
    id: "putPreset",
    method: "PUT",
    path: "/presets",
    scope: "admin",
    ofPersons: true,
    summary: "Keeps a prompt under a name, in place of an earlier one.",
    query: PresetQuery,
    body: PresetBody,
    response: PresetsSchema,
    handle: async (call) => {
      const { name } = call.query;
      const { store, person } = ownOf(call);
      if (COMMAND_NAMES.includes(name.toLowerCase())) throw wrong(TEXT.isCommand, name);
      await store.change(person, (presets) => {
        const others = presets.filter((one) => one.name !== name);
        if (others.length >= MAX_PRESETS) throw wrong(TEXT.tooMany, name);
        return [...others, { name, text: call.body.text }];
      });
      announce(call.services, "system", "presets");
      return { body: viewOf(call) };
    },
  }),
  route({
    id: "deletePreset",
    method: "DELETE",
    path: "/presets",
    scope: "admin",
    ofPersons: true,
    summary: "Forgets a prompt.",
    query: PresetQuery,
    response: PresetsSchema,
    errors: ["request.not-found"],
    handle: async (call) => {
      const { name } = call.query;
      const { store, person } = ownOf(call);
      await store.change(person, (presets) => {
        const left = presets.filter((one) => one.name !== name);
        if (left.length === presets.length)
          throw new Problem("request.not-found", told({ detail: TEXT.none }, { name }));
        return left;
      });
      announce(call.services, "system", "presets");
      return { body: viewOf(call) };
    },
  }),
];

function ownOf({ services, credential }: AnyCall): {
  readonly store: ReturnType<typeof openPresets>;
  readonly person: string;
} {
  return { store: services.once(openPresets), person: credential?.for ?? OWNER };
}

function viewOf(call: AnyCall): z.input<typeof PresetsSchema> {
  const { store, person } = ownOf(call);
  return { items: store.of(person) };
}

function wrong(detail: (typeof TEXT)["isCommand" | "tooMany"], name: string): Problem {
  const said = told({ detail }, { name, most: MAX_PRESETS });
  return new Problem("request.invalid", {
    ...said,
    errors: [{ path: "/name", code: "invalid_value", message: said.detail ?? "" }],
  });
}
