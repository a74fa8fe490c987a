// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CProcessCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <dirent.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#endif

struct activity {
  uint32_t milliseconds;
  char text[1024];
};

void watch_activity(int descriptor, const char *text, uint32_t milliseconds) {
  struct activity activity = {.milliseconds = milliseconds};
  strncpy(activity.text, text, sizeof(activity.text) - 1);
  // Shorter than PIPE_BUF, so it arrives whole.
  while (write(descriptor, &activity, sizeof(activity)) < 0 && errno == EINTR) continue;
}

#if defined(__linux__)

// Has crashes end the process at once: the parent tells of them in a sentence. Otherwise Swift's runtime
// prints a trace, for which it takes many seconds.
static void leave_crashes_to_parent(void) {
  // Whoever sets the variable wants the traces.
  if (getenv("SWIFT_BACKTRACE") != NULL) return;
  static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
  for (size_t index = 0; index < sizeof(crashes) / sizeof(crashes[0]); index++) {
    signal(crashes[index], SIG_DFL);
  }
}

static volatile pid_t watched = 0;

static void hand_on(int number, siginfo_t *info, void *context) {
  (void)context;
  // The terminal sends its signals to the child as well.
  if (info->si_code <= 0) kill(watched, number);
}

static const int handed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { handed_on_count = sizeof(handed_on) / sizeof(handed_on[0]) };

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Waits until the child closes its end of the pipe, which its end does at the latest.
static void follow(int descriptor, struct watched_end *end) {
  int64_t deadline = -1;
  for (;;) {
    int wait = -1;
    if (deadline >= 0) {
      int64_t left = deadline - now();
      if (left <= 0) {
        end->is_overdue = true;
        kill(watched, SIGKILL);
        return;
      }
      wait = (int)left;
    }
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    int ready = poll(&one, 1, wait);
    if (ready <= 0) continue;
    struct activity activity;
    ssize_t count = read(descriptor, &activity, sizeof(activity));
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof(activity)) return;
    activity.text[sizeof(activity.text) - 1] = 0;
    memcpy(end->activity, activity.text, sizeof(end->activity));
    deadline = activity.milliseconds > 0 ? now() + activity.milliseconds : -1;
  }
}

int run_watched(struct watched_end *end) {
  memset(end, 0, sizeof(*end));
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return -2;
  // No signal may come between the fork and the handlers.
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return -2;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(70);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(pipe_ends[0]);
    leave_crashes_to_parent();
    return pipe_ends[1];
  }
  watched = child;
  for (int index = 0; index < handed_on_count; index++) {
    struct sigaction action = {.sa_sigaction = hand_on, .sa_flags = SA_SIGINFO};
    // Where nohup or a shell has one ignored, the child ignores it too, unless it wants it.
    sigaction(handed_on[index], &action, NULL);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(pipe_ends[1]);
  follow(pipe_ends[0], end);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  for (int index = 0; index < handed_on_count; index++) signal(handed_on[index], SIG_DFL);
  end->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return -1;
}

// The bytes of private memory that the process has reserved: what RLIMIT_DATA counts.
static uint64_t reserved(void) {
  FILE *file = fopen("/proc/self/status", "re");
  if (file == NULL) return 0;
  char line[256];
  unsigned long long kilobytes = 0;
  while (fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "VmData: %llu kB", &kilobytes) == 1) break;
  }
  fclose(file);
  return kilobytes * 1024;
}

static bool limit_memory(uint64_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  if (limit.rlim_max != RLIM_INFINITY && bytes > limit.rlim_max) return true;
  limit.rlim_cur = bytes;
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

bool limit_further_memory(uint64_t bytes) { return limit_memory(reserved() + bytes); }

void enter_worker(uint64_t bytes, int last) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  leave_crashes_to_parent();
  limit_memory(bytes);
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return;
  int own = dirfd(folder);
  struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    int descriptor = atoi(entry->d_name);
    if (descriptor > last && descriptor != own) close(descriptor);
  }
  closedir(folder);
}

int open_shared_memory_file(void) {
  int file = memfd_create("tensorio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0) fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
  return file;
}

int open_memory_file(void) { return memfd_create("tensorio", MFD_CLOEXEC); }

#else

int run_watched(struct watched_end *end) {
  memset(end, 0, sizeof(*end));
  return -2;
}

bool limit_further_memory(uint64_t bytes) {
  (void)bytes;
  return false;
}

void enter_worker(uint64_t bytes, int last) {
  (void)bytes;
  (void)last;
}

int open_shared_memory_file(void) { return -1; }

int open_memory_file(void) { return -1; }

#endif
