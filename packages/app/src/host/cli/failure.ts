/** An error as a person reads it: what happened, what to do, the code; never a stack. And its exit code. */
import { hasCode, RuntimeError } from "@margay/core";
import { messageOf } from "@margay/core/internal";
import { ERROR_TEXTS } from "../../texts/errors.zh.ts";
import type { Language } from "../../texts/text.ts";
import type { Translate } from "../../texts/translate.ts";
import { EXIT } from "./command.ts";
import { safeText } from "./output.ts";

export interface FailureContext {
  readonly language: Language;
  readonly t: Translate;
  readonly home: string;
  readonly log: string;
}

/** Codes whose message our own commands already wrote in the reader's language. */
const LOCALIZED: readonly string[] = [
  "usage.wrong",
  "config.invalid",
  "config.unreadable",
  "config.changed",
  "state.inside-workspace",
  "state.moved",
  "session.missing",
  "session.not-empty",
  "provider.no-key",
  "provider.unknown",
  "vault.locked",
  "vault.wrong-key",
  "vault.damaged",
  "vault.shared",
  "keyring.failed",
];

export function failureText(error: unknown, { language, t, home, log }: FailureContext): string {
  if (!(error instanceof RuntimeError))
    return `${t("error.internal", { message: safeText(messageOf(error)), log })} [internal.bug]\n`;
  const pid = pidOf(error);
  if (error.code === "state.locked" && pid !== undefined) return `${t("error.locked", { pid, home })} [state.locked]\n`;
  const message = safeText(error.message);
  if (language === "en" || LOCALIZED.includes(error.code)) return `${message} [${error.code}]\n`;
  return `${ERROR_TEXTS[error.code] ?? ""}（${message}） [${error.code}]\n`;
}

export function exitCode(error: unknown): number {
  if (hasCode(error, "usage.wrong")) return EXIT.usage;
  if (hasCode(error, "state.locked", "config.changed")) return EXIT.busy;
  if (
    hasCode(
      error,
      "config.invalid",
      "config.unreadable",
      "vault.locked",
      "vault.wrong-key",
      "vault.damaged",
      "vault.shared",
      "keyring.failed",
      "state.inside-workspace",
      "state.moved",
      "provider.no-key",
      "provider.unknown",
      "plugin.missing",
      "plugin.invalid",
    )
  )
    return EXIT.config;
  return EXIT.failed;
}

function pidOf(error: RuntimeError): number | undefined {
  const { details } = error;
  if (typeof details !== "object" || details === null || !("pid" in details)) return undefined;
  return typeof details.pid === "number" ? details.pid : undefined;
}
