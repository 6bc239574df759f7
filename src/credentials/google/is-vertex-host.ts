const REGION = "(?:africa|asia|australia|europe|me|northamerica|southamerica|us)-[a-z]{1,12}\\d{1,2}";
const VERTEX = new RegExp(`^(?:(?:${REGION}-)?aiplatform|aiplatform\\.(?:us|eu)\\.rep)\\.googleapis\\.com$`);

/** The hosts that a token of Google may be sent to. A token sent elsewhere is a stolen token, so nothing near to these passes. */
export const isVertexHost = (hostname: string): boolean => VERTEX.test(hostname);
