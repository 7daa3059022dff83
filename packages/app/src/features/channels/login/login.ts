/** The login of a channel: what a person is shown, and what the platform gives in the end, kept as if it had been typed in. */
import { type JsonObject, RuntimeError } from "@margay/core";
import { channelHost, messageOf, type ChannelPlugin } from "@margay/core/internal";
import { hasReference } from "../../../config/expand.ts";
import { Problem } from "../../../host/api/problem.ts";
import { problemDocument } from "../../../host/api/problem-body.ts";
import type { Call } from "../../../host/api/route.ts";
import { told } from "../../../host/api/words.ts";
import { announce } from "../../../host/live/announce.ts";
import { changeSettings, patchEdits } from "../../../host/settings/change.ts";
import { loadChannelPlugin } from "../../../models/plugin-load.ts";
import { hurryReplies } from "../actions.ts";
import { TEXT } from "../api-texts.ts";
import { type ChannelConfig, findKind } from "../kinds.ts";
import { givenSettings } from "../plugin-channel.ts";
import type { LoginEvent } from "../schema.ts";
import { qrPath } from "../../../host/api/qr.ts";

export type LoginCaller = Pick<Call<unknown, unknown>, "services" | "t" | "language"> &
  Partial<Pick<Call<unknown, unknown>, "credential">>;

export interface Login {
  readonly id: string;
  readonly kind: string;
  /** As it is, or is going to be. */
  readonly config: ChannelConfig;
  /** What of it is not saved yet. */
  readonly patch: JsonObject;
}

/** @throws Problem `channel.invalid`: the kind has no login, or is not there; RuntimeError `plugin.invalid`. */
export async function pluginWithLogin(
  { id, kind }: Pick<Login, "id" | "kind">,
  { services }: LoginCaller,
): Promise<Required<Pick<ChannelPlugin, "login">>> {
  const found = findKind(kind, services.app.inside.loaded().places);
  if (found === undefined)
    throw new Problem("channel.invalid", told({ detail: TEXT.needsPlugin, remedy: TEXT.addPlugin }, { id, kind }));
  const plugin = found?.place === undefined ? undefined : await loadChannelPlugin(found.place);
  if (plugin?.login === undefined)
    throw new Problem("channel.invalid", told({ detail: TEXT.hasNoLogin, remedy: TEXT.setUpPut }, { id }));
  return { login: plugin.login };
}

/** Ends with `done` or `failed`; also when the signal aborts. Whoever leaves it has cancelled it. */
export async function* loginEvents(
  login: Login,
  { login: begin }: Required<Pick<ChannelPlugin, "login">>,
  caller: LoginCaller,
  signal: AbortSignal,
): AsyncGenerator<LoginEvent> {
  const { app } = caller.services;
  const { id, config } = login;
  const { channels: folder, docs } = app.inside.loaded().places;
  const host = channelHost(id, { folder, docs, blobs: () => app.agent.blobs, clock: app.clock, log: app.log });
  try {
    for await (const step of begin({ id, settings: givenSettings(config) }, host, signal)) {
      switch (step.type) {
        case "qr":
          yield { ...step, ...(await qrPath(step.data)) };
          break;
        case "done":
          // Not given up when who asked leaves: the platform has counted the device by now.
          await keep(login, step.settings, caller);
          await hurryReplies(caller.services, id);
          yield { type: "done", account: step.account };
          return;
        case "code":
        case "scanned":
          yield step;
      }
    }
    throw new RuntimeError("channel.failed", `The login of ${id} ended, and nothing came of it. Try it again.`);
  } catch (error) {
    if (signal.aborted) return;
    yield { type: "failed", text: app.inside.redact(reasonOf(error, caller)) };
  }
}

/** Secrets go into files of their own, as those that are typed in. @throws Problem as any change of the settings does. */
async function keep(
  { id, patch }: Login,
  settings: Readonly<Record<string, string>>,
  caller: LoginCaller,
): Promise<void> {
  // What a platform says is a value, and names nothing of this machine.
  if (Object.values(settings).some(hasReference))
    throw new RuntimeError("channel.failed", `What the platform gave for ${id} is no setting. Enter it by hand.`);
  const { token, secret, baseUrl, ...options } = settings;
  const own = patch["options"];
  const channel = {
    ...patch,
    enabled: true,
    ...(token !== undefined && { token }),
    ...(secret !== undefined && { secret }),
    ...(baseUrl !== undefined && { baseUrl }),
    options: { ...(typeof own === "object" && own), ...options },
  };
  await changeSettings(patchEdits({ channels: { [id]: channel } }, caller), caller, { dryRun: false });
  announce(caller.services, "channels", id);
}

/** In the language of who reads it, as far as it was written in it. */
function reasonOf(error: unknown, { language }: LoginCaller): string {
  if (!(error instanceof Problem)) return messageOf(error);
  const { detail, remedy } = problemDocument(error, "login", language);
  return [detail, remedy].filter((text) => text !== undefined).join(" ");
}
