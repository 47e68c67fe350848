// A program whose call to grab is inlined twice: fill calls middle, which calls inner.
namespace pool {
void *kept[16];
char memory[4096];

__attribute__((noinline)) void *grab(unsigned long n) {
  static unsigned long used;
  return memory + (used += n) % sizeof memory;
}

inline __attribute__((always_inline)) void *inner(unsigned long n) {
  return grab(8 * n);
}

inline __attribute__((always_inline)) void *middle(unsigned long n) {
  return inner(n + 1);
}

__attribute__((noinline)) void fill(int n) {
  kept[n & 15] = middle(n);
  kept[0] = kept[n & 15];
}
}  // namespace pool

extern "C" void _start() {
  for (;;) pool::fill(3);
}
