/** Google ends its lines as the first draft of HTTP did, and names no event. */
export const frameGemini = (data: string): string => `data: ${data}\r\n\r\n`;
