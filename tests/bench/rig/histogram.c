#include "rig.h"

enum { STEPS = 64, STEP_BITS = 6 };

/** Row 0 holds 0 to 63 one by one; row n holds the values from 64·2^(n−1) to 128·2^(n−1) in 64 equal steps. */
static int bucket_of(double micros) {
  if (micros < STEPS) return micros < 0 ? 0 : (int)micros;
  uint64_t whole = micros > 9e15 ? (uint64_t)9e15 : (uint64_t)micros;
  int row = 63 - __builtin_clzll(whole) - STEP_BITS + 1;
  int bucket = row * STEPS + (int)((whole >> (row - 1)) - STEPS);
  return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

void histogram_record(Histogram *histogram, double micros) {
  histogram->counts[bucket_of(micros)] += 1;
  histogram->total += 1;
}

/** The highest value of the bucket in which this share of all values has been seen; 0 when empty. */
uint64_t histogram_percentile(const Histogram *histogram, double share) {
  if (histogram->total == 0) return 0;
  double exact = share * (double)histogram->total;
  uint64_t wanted = (uint64_t)exact + ((double)(uint64_t)exact < exact ? 1 : 0);
  uint64_t seen = 0;
  int bucket = 0;
  for (; bucket < HISTOGRAM_BUCKETS - 1; bucket += 1) {
    seen += histogram->counts[bucket];
    if (seen >= (wanted == 0 ? 1 : wanted)) break;
  }
  int row = bucket / STEPS;
  if (row == 0) return (uint64_t)bucket;
  return (((uint64_t)(bucket % STEPS) + STEPS + 1) << (row - 1)) - 1;
}
