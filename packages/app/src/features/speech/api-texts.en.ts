/** What routes of speech say. */
export const en = {
  theseBytesNo: "These bytes are {mediaType}, no recording.",
  sendWavMp: "Send WAV, MP3, M4A, Ogg, FLAC or WebM.",
  noBudgetHas: "No budget has room for this recording.",
  recordLessWait: "Record less, wait for the period to end, or raise the budget.",
  recordingEmpty: "The recording is empty.",
  sendBytesBody: "Send its bytes as the body.",
  noModelFor: "No model for transcription is set.",
  setAgentTranscriptionmodel: "Set agent.transcriptionModel to provider/model, such as openai/gpt-4o-mini-transcribe.",
  providerHasNothing: "The provider of {name} has nothing that turns speech into text here.",
  setAgentTranscriptionmodelModel:
    "Set agent.transcriptionModel to a model of an OpenAI-compatible provider or of Google.",
} as const;
