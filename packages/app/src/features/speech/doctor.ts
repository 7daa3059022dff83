/** Whether recordings can be written down, and replies read aloud, with what is configured; nothing is sent. */
import type { Loaded } from "../../config/load.ts";
import { noKey, type Examined, type Finding } from "../../host/finding.ts";

export async function checkTranscription(
  { t, environment }: Examined,
  { config }: Loaded,
): Promise<readonly Finding[]> {
  const { transcriptionModel: model } = config.agent;
  if (model === null) return [];
  const { takesRecordings } = await import("../../models/transcriber.ts");
  const { missingKey } = await import("../../models/model-check.ts");
  if (!takesRecordings(config))
    return [
      {
        id: "transcription",
        level: "problem",
        text: t("doctor.transcriptionUnfit", { model }),
        repair: "margay config set agent.transcriptionModel openai/gpt-4o-mini-transcribe",
      },
    ];
  const variable = missingKey(model, config, environment.env);
  if (variable !== undefined) return [noKey("transcription", model, variable, { t })];
  return [{ id: "transcription", level: "ok", text: t("doctor.transcription", { model }) }];
}

export async function checkSpeech({ t, environment }: Examined, { config }: Loaded): Promise<readonly Finding[]> {
  const { reply, model, command } = config.speech;
  if (reply === "never" || (model === null && command.length === 0)) return [];
  if (model !== null) return spokenByModel(model, config, environment.env, t);
  const { findProgram } = await import("../../host/shown-places.ts");
  const { commandEnvironment } = await import("@margay/core/internal");
  const searchPath = commandEnvironment(environment.env, [], config.tools.exec.pathAppend)["PATH"] ?? "";
  const [program = ""] = command;
  if (findProgram(program, searchPath) === undefined)
    return [
      {
        id: "speech",
        level: "problem",
        text: t("doctor.speechMissing", { program }),
        repair: "margay config unset speech.command",
      },
    ];
  const converts = findProgram("ffmpeg", searchPath) !== undefined;
  return [
    converts
      ? { id: "speech", level: "ok", text: t("doctor.speech", { by: program }) }
      : { id: "speech", level: "warning", text: t("doctor.speechFiles", { by: program }) },
  ];
}

async function spokenByModel(
  model: string,
  config: Loaded["config"],
  env: Examined["environment"]["env"],
  t: Examined["t"],
): Promise<readonly Finding[]> {
  const { readsAloud } = await import("../../models/transcriber.ts");
  const { missingKey } = await import("../../models/model-check.ts");
  if (readsAloud(model, config) === undefined)
    return [
      {
        id: "speech",
        level: "problem",
        text: t("doctor.speechUnfit", { model }),
        repair: "margay config set speech.model openai/gpt-4o-mini-tts",
      },
    ];
  const variable = missingKey(model, config, env);
  if (variable !== undefined) return [noKey("speech", model, variable, { t })];
  return [{ id: "speech", level: "ok", text: t("doctor.speech", { by: model }) }];
}
