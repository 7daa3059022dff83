/** The checks of `margay doctor`, for a page: the same findings, without costing a model request unless asked. */
import { RuntimeError } from "@margay/core";
import { findingsOf, noKey, type Checks, type Examined, type Finding } from "../../host/finding.ts";
import { platformFindings, storageFinding } from "./doctor-storage.ts";
import { loadConfig, type Loaded } from "../../config/load.ts";
import type { Text } from "../../texts/text.ts";
import { effectiveModel, missingKey } from "../../models/model-check.ts";
import type { Call } from "../../host/api/route.ts";
import type { Check } from "./schema.ts";
import { textOf } from "../../host/settings/change.ts";
import { paired, words } from "../../host/api/words.ts";
import { en } from "./checks.en.ts";
import { zh } from "./checks.zh.ts";

type Caller = Pick<Call<unknown, unknown>, "services" | "language" | "t" | "signal">;

const TITLES: Readonly<Record<string, Text>> = paired(en, zh);

/** @param live Also ask the model for a word, which costs a few tokens. */
export async function runChecks(
  { machine, configured }: Checks,
  call: Caller,
  live: boolean,
): Promise<readonly Check[]> {
  const examined = examinedBy(call);
  const findings: Finding[] = [];
  for (const [id, check] of Object.entries(machine))
    findings.push(...(await findingsOf(id, examined, () => check(examined, false))));
  findings.push(storageFinding(call.services.app.inside.storageFault()?.message, examined));
  findings.push(...platformFindings(platformsIn(call), examined));
  const { loaded, finding } = configuration(examined, call);
  findings.push(finding);
  if (loaded !== undefined) {
    for (const [id, check] of Object.entries(configured)) {
      if (id === "mcp") continue; // the servers have a page of their own: looking at this one starts none
      const look = id === "model" && !live ? modelWithoutAsking : check;
      findings.push(...(await findingsOf(id, examined, () => look(examined, loaded))));
    }
  }
  const { home } = call.services.loadOptions.places;
  return findings.map(({ id, level, text, repair }) => ({
    id,
    title: words(call.language, TITLES[id] ?? { en: id, "zh-CN": id }),
    state: level === "problem" ? "fail" : level === "warning" ? "warn" : "ok",
    detail: call.services.app.inside.redact(text.replaceAll(home, "~")),
    ...(repair !== undefined && { command: repair }),
  }));
}

function platformsIn({ services: { app } }: Caller): Parameters<typeof platformFindings>[0] {
  const { loaded, platforms } = app.inside;
  return Object.keys(loaded().config.channelsById).flatMap((id) => {
    const status = platforms.status(id);
    return status === undefined ? [] : [{ id, ...status }];
  });
}

function configuration(examined: Examined, call: Caller): { readonly loaded?: Loaded; readonly finding: Finding } {
  const { t, places } = examined;
  try {
    const loaded = examined.load();
    const text = loaded.exists ? t("doctor.config", { path: places.config }) : t("doctor.configNone");
    return { loaded, finding: { id: "config", level: "ok", text } };
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const text = textOf(error, call.services.loadOptions.places.home);
    return { finding: { id: "config", level: "problem", text, repair: "margay config check" } };
  }
}

function modelWithoutAsking({ t, environment }: Examined, { config }: Loaded): readonly Finding[] {
  const model = effectiveModel(config);
  if (model === null) return [{ id: "model", level: "warning", text: t("doctor.practice"), repair: "margay onboard" }];
  const variable = missingKey(model, config, environment.env);
  if (variable === undefined) return [{ id: "model", level: "ok", text: model }];
  return [noKey("model", model, variable, { t })];
}

function examinedBy({ services, language, t, signal }: Caller): Examined {
  const { environment, loadOptions } = services;
  const { places } = loadOptions;
  return { environment, places, language, t, signal, load: () => loadConfig({ ...loadOptions, t }) };
}
