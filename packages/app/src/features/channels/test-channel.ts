/** "Test this channel": settings → reach → receiving → one message. */
import type { Json } from "@margay/core";
import { timeText } from "@margay/core/internal";
import type { ChannelConfig } from "../../config/config.ts";
import { isSecretAt } from "../../config/secrets/secret-names.ts";
import { findKind } from "./kinds.ts";
import { createChannel, needsPlugin, probeChannel } from "./list.ts";
import type { Language } from "../../texts/text.ts";
import { sendTest } from "./test-message.ts";
import { reach, reasonOf } from "../../models/connection.ts";
import type { TestResult } from "../../protocol/test-result.ts";
import type { Services } from "../../host/api/services.ts";
import { runSteps, StepFault } from "../../host/api/test-steps.ts";
import { sayer } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";
import { addressesOf } from "./view.ts";

const CONNECT_MS = 10_000;

export async function testChannel(
  id: string,
  config: ChannelConfig,
  to: string | undefined,
  { services, language }: { readonly services: Services; readonly language: Language },
  signal: AbortSignal,
): Promise<TestResult> {
  const say = sayer(language);
  const { app } = services;
  const { kind = id } = config;
  const { home, channels: folder } = app.inside.loaded().places;
  const isSaved = app.inside.loaded().config.channelsById[id]?.enabled === true;
  const deps = { home, folder, blobs: () => app.agent.blobs, clock: app.clock, log: app.log };
  return runSteps(
    [
      {
        id: "credentials",
        title: TEXT.settingsComplete,
        run: () => {
          createChannel(id, config, deps);
          if (findKind(kind, { home }) === undefined) throw needsPlugin(id, kind);
          return undefined;
        },
      },
      {
        id: "reach",
        title: TEXT.platformReached,
        run: async (stop) => {
          const url = urlOf(config.options?.["url"] ?? config.baseUrl);
          const account = await probeChannel(id, config, deps, stop);
          if (account !== undefined) return say(TEXT.knownAs, { account });
          if (url === undefined) return { skipped: say(TEXT.noAddressSet) };
          return reach(url, AbortSignal.any([stop, AbortSignal.timeout(CONNECT_MS)])).catch((error: unknown) => {
            throw new StepFault(
              "channel.failed",
              say(TEXT.wasNotReached, {
                host: url.host,
                reason: reasonOf(error),
              }),
              say(TEXT.checkAddressAnd),
            );
          });
        },
      },
      {
        id: "receive",
        title: TEXT.messagesCanCome,
        run: () => {
          const status = app.inside.platforms.status(id);
          if (status?.state === "retrying" || status?.state === "failed")
            throw new StepFault("channel.failed", status.error ?? status.state);
          if (kind === "webhook" && typeof config.options?.["port"] !== "number")
            return { skipped: say(TEXT.noPortSet) };
          if (status === undefined && !config.enabled) return { skipped: say(TEXT.switchedOff, { id }) };
          if (status === undefined) return { skipped: say(isSaved ? TEXT.noGateway : TEXT.startsWhenSaved) };
          const [address] = addressesOf(id, services);
          if (address !== undefined) return say(TEXT.calledAt, { address });
          return say(TEXT.since, { time: timeText(status.since, app.inside.loaded().timeZone) });
        },
      },
      {
        id: "message",
        title: TEXT.messageDelivered,
        run: async (stop) => {
          if (to === undefined) return { skipped: say(TEXT.noChatNamed) };
          const text = say(TEXT.testMessageFrom);
          await sendTest({ channel: id, chat: to, text }, config, deps, stop);
          return undefined;
        },
      },
    ],
    { language, clock: app.clock, redact: redactor(config, app.inside.redact), signal },
  );
}

/** A draft's secrets are known to no redactor yet. */
function redactor(config: ChannelConfig, redact: (text: string) => string): (text: string) => string {
  const options = Object.entries(config.options ?? {}).filter(([name]) => isSecretAt({ secret: "named" }, name));
  const secrets = [config.token, config.secret, ...options.map(([, value]) => value)].filter(
    (value): value is string => typeof value === "string" && value.length >= 8,
  );
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[redacted]"), redact(text));
}

function urlOf(value: Json | undefined): URL | undefined {
  return typeof value === "string" ? (URL.parse(value) ?? undefined) : undefined;
}
