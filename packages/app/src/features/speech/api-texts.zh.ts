import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  theseBytesNo: "这些数据是 {mediaType}，不是录音。",
  sendWavMp: "请发送 WAV、MP3、M4A、Ogg、FLAC 或 WebM。",
  noBudgetHas: "预算不足以转写这段录音。",
  recordLessWait: "请录短一些，等待周期结束，或提高预算。",
  recordingEmpty: "录音为空。",
  sendBytesBody: "请把录音的字节作为请求正文发送。",
  noModelFor: "未设置语音转文字的模型。",
  setAgentTranscriptionmodel: "请将 agent.transcriptionModel 设为 提供方/模型，例如 openai/gpt-4o-mini-transcribe。",
  providerHasNothing: "{name} 的提供方在此不支持语音转文字。",
  setAgentTranscriptionmodelModel: "请将 agent.transcriptionModel 设为 OpenAI 兼容的提供方或 Google 的模型。",
};
