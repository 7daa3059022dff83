/** Whether the configured model answers. One short request; without a model nothing is sent. */
import { toErrorInfo } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import { noKey, type Examined, type Finding } from "../../host/finding.ts";

/** A doctor that hangs is no help. */
const PATIENCE_MS = 30_000;

export async function checkModel(cli: Examined, { config }: Loaded): Promise<readonly Finding[]> {
  const { t, environment } = cli;
  const { effectiveModel, missingKey, probeModel } = await import("../../models/model-check.ts");
  const model = effectiveModel(config);
  if (model === null) return [{ id: "model", level: "warning", text: t("doctor.practice"), repair: "margay onboard" }];
  const variable = missingKey(model, config, environment.env);
  if (variable !== undefined) return [noKey("model", model, variable, cli)];
  try {
    const { ms } = await probeModel(
      model,
      { config, env: environment.env, home: cli.places.home },
      AbortSignal.any([cli.signal, AbortSignal.timeout(PATIENCE_MS)]),
    );
    return [{ id: "model", level: "ok", text: t("doctor.model", { model, ms }) }];
  } catch (error) {
    cli.signal.throwIfAborted();
    return [
      {
        id: "model",
        level: "problem",
        text: t("doctor.modelFails", { model, message: toErrorInfo(error).message }),
        repair: `margay models test ${model}`,
      },
    ];
  }
}
