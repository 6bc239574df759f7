-- Why: audio, pictures and film have prices of their own. Prices that are there have none and stay as they are.
-- Locks: exclusive on price, for a moment; columns without a default rewrite no row.
-- Compatible: programs from 0039 on.
-- Programs of before find a price that has any of these suspended, so that they do not sell it at half of what it says.

alter table price
  add column input_audio_nano bigint check (input_audio_nano >= 0),
  add column input_image_nano bigint check (input_image_nano >= 0),
  add column input_video_nano bigint check (input_video_nano >= 0),
  add column cache_read_audio_nano bigint check (cache_read_audio_nano >= 0),
  add column output_audio_nano bigint check (output_audio_nano >= 0),
  add column output_image_nano bigint check (output_image_nano >= 0);
