/** Whether recordings can be written down with what is configured; nothing is sent. */
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
