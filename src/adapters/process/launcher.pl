# Starts the processes of the tasks of one session, one after another: a small process forks and starts them at a fraction of what
# it costs the worker's daemon, and it is in their control group already. It guards nothing (supervisor.sh does).
#
# Descriptor 3 leads to the daemon. A request is a frame: its length, and its fields, each with its length in front
# (lengths are 32 bits, big end first):
#   number of the action, working directory,
#   count of files, and of each its path, its mode (octal) and its data,
#   count of arguments, the command, the arguments,
#   the environment (entries NAME=value, a NUL after each) but for one variable, the name of that, its value.
# It answers with lines: "ready" at its start; then for each request "failed NUMBER STAGE ERRNO" (STAGE: file, directory, start), or
# "started NUMBER PID" and "ended NUMBER CODE SIGNAL". It ends at the end of its input.
#
# Standard output and error are those of the tasks; each of them opens the pipes anew, so that what one does to its descriptors
# (O_NONBLOCK) is none of the next one's affair.
use strict;
use warnings;
no warnings 'exec';
use Fcntl qw(O_WRONLY O_RDWR O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK F_SETFD FD_CLOEXEC);
use POSIX ();

# Its name stays as it is: perl writes another one over the environment that /proc shows, and the guard knows it by the marks there.
open(my $daemon, '+<&=', 3) or exit 1;
fcntl($daemon, F_SETFD, FD_CLOEXEC) or exit 1;

sub answer {
    my ($text) = @_;
    $text .= "\n";
    while ($text ne '') {
        my $written = syswrite($daemon, $text);
        exit 1 if !defined $written;
        substr($text, 0, $written) = '';
    }
}

sub receive {
    my ($length) = @_;
    my $bytes = '';
    while (length($bytes) < $length) {
        my $read = sysread($daemon, $bytes, $length - length($bytes), length($bytes));
        next if !defined $read && $! == POSIX::EINTR();
        exit 0 if !$read;
    }
    return $bytes;
}

sub make_directories_of {
    my ($path) = @_;
    my ($parent) = $path =~ m{^(.+)/[^/]*$}s or return;
    return if -d $parent;
    make_directories_of($parent);
    mkdir $parent, 0700;
}

# Writes a file in place of what is there, never through a link. Gives 0, or the number of the error. A file that holds the same is left
# alone: a task in each second writes the same ones again and again.
sub write_file {
    my ($path, $mode, $data) = @_;
    my $file = open_file($path, 0);
    if (!defined $file && $! == POSIX::ENOENT()) {
        make_directories_of($path);
        $file = open_file($path, 0);
    }
    return $! + 0 if !defined $file;
    my @found = stat($file);
    if (!-f _) {
        # A pipe or a device that a task has put in the way.
        unlink($path) or return $! + 0;
        $file = open_file($path, O_EXCL) or return $! + 0;
        @found = stat($file);
    }
    chmod(oct $mode, $file) or return $! + 0 if ($found[2] & 07777) != oct $mode;
    if ($found[7] == length $data) {
        my $present = '';
        sysread($file, $present, length $data);
        return 0 if $present eq $data;
        sysseek($file, 0, 0) or return $! + 0;
    }
    my $size = length $data;
    while ($data ne '') {
        my $written = syswrite($file, $data);
        return $! + 0 if !defined $written;
        substr($data, 0, $written) = '';
    }
    truncate($file, $size) or return $! + 0 if $found[7] > $size;
    close($file) or return $! + 0;
    return 0;
}

sub open_file {
    my ($path, $flags) = @_;
    my $file;
    return sysopen($file, $path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | $flags, 0600) ? $file : undef;
}

# What the next command gets. The same as for the last one, as a rule.
my $environment = '';

sub set_environment {
    my ($entries, $name, $value) = @_;
    if ($entries ne $environment) {
        %ENV = map { my $at = index($_, '='); (substr($_, 0, $at) => substr($_, $at + 1)) } split(/\0/, $entries);
        $environment = $entries;
    }
    $ENV{$name} = $value;
}

# In the process of a task: becomes the command. Says on $fault why not.
sub become {
    my ($fault, $directory, $command) = @_;
    POSIX::setsid();
    for my $descriptor (1, 2) {
        my $own = POSIX::open("/proc/self/fd/$descriptor", O_WRONLY);
        next if !defined $own;
        POSIX::dup2($own, $descriptor);
        POSIX::close($own);
    }
    my $stage = 'directory';
    if (chdir $directory) {
        $stage = 'start';
        exec { $command->[0] } @$command;
    }
    syswrite($fault, "$stage " . ($! + 0));
    POSIX::_exit(127);
}

sub start {
    my ($number, $directory, @fields) = @_;
    for (1 .. shift @fields) {
        my $error = write_file(splice(@fields, 0, 3));
        return answer("failed $number file $error") if $error;
    }
    my $arguments = shift @fields;
    my @command = splice(@fields, 0, 1 + $arguments);
    set_environment(@fields);
    my ($told, $fault);
    pipe($told, $fault) or return answer("failed $number start " . ($! + 0));
    my $pid = fork();
    return answer("failed $number start " . ($! + 0)) if !defined $pid;
    become($fault, $directory, \@command) if $pid == 0;
    close($fault);
    # Ends when the command runs.
    my $failure = '';
    sysread($told, $failure, 64);
    if ($failure ne '') {
        waitpid($pid, 0);
        return answer("failed $number $failure");
    }
    answer("started $number $pid");
    waitpid($pid, 0);
    answer("ended $number " . ($? >> 8) . ' ' . ($? & 127));
}

answer('ready');
while (1) {
    start(unpack('(N/a*)*', receive(unpack('N', receive(4)))));
}
