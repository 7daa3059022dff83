/** The models of `/v1`: the agent on its active model, and on each model of the configuration. */
import { type ModelRef } from "@margay/core";
import { modelInfo } from "@margay/core/internal";
import type { Config } from "../../config/config.ts";
import { modelRef } from "../../config/agent-settings.ts";
import { effectiveModel } from "../../models/choose-model.ts";
import { findVendor } from "../../models/catalog.ts";
import { Problem } from "../../host/api/problem.ts";

export const AGENT = "margay";

export interface ChosenModel {
  /** As the client named it: answers repeat it. */
  readonly id: string;
  /** Null: the active one. */
  readonly ref: ModelRef | null;
}

/** `margay` first. */
export function modelIds(config: Config): readonly string[] {
  const configured = [
    effectiveModel(config),
    ...config.fallbackModels,
    ...Object.keys(config.models),
    ...Object.keys(config.providers).map((id) => {
      const model = findVendor(id)?.defaultModel;
      return model === undefined ? null : `${id}/${model}`;
    }),
  ];
  return [AGENT, ...new Set(configured.flatMap((name) => (name === null ? [] : [`${AGENT}/${name}`])))];
}

/** @throws Problem `model.not-found`. */
export function chooseModel(id: string, config: Config): ChosenModel {
  if (!modelIds(config).includes(id))
    throw new Problem("model.not-found", {
      detail: `The model ${JSON.stringify(id)} does not exist here. GET /v1/models lists those there are; "${AGENT}" is always one.`,
      more: { code: "model_not_found", param: "model" },
    });
  return { id, ref: id === AGENT ? null : modelRef(id.slice(AGENT.length + 1)) };
}

/** What can be shown to a model besides text. */
export interface Senses {
  readonly images: boolean;
  /** PDF, as it is. */
  readonly files: boolean;
}

/** Practice mode and unknown models are shown pictures. */
export function sensesOf({ ref }: ChosenModel, config: Config): Senses {
  const active = effectiveModel(config);
  const meant = ref ?? (active === null ? null : modelRef(active));
  if (meant === null) return { images: true, files: false };
  const vendor = findVendor(meant.provider);
  const api = config.providers[meant.provider]?.api ?? vendor?.api;
  const quirks = api === vendor?.api ? vendor?.quirks : undefined; // a vendor's quirks are those of its own API
  return {
    images: quirks?.images !== false && modelInfo(meant.provider, meant.model).images,
    files: quirks?.files ?? (api !== undefined && api !== "openai-chat"),
  };
}

export function modelObject(id: string, created: number): object {
  return { id, object: "model", created, owned_by: AGENT };
}
